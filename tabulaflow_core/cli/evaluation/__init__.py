"""Question sets: asked, graded, counted and compared with an earlier run."""
