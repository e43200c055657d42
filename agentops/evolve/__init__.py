"""The loop: may we go on? → measure → select → execute → judge → settle → row → claims."""
