"""What the pages share: drawing and session state. Streamlit is known here, in `app.py` and in `pages/` only."""
