"""Every other SQLAlchemy dialect: synchronous drivers in worker threads, behind the same guard, caps and locks."""
