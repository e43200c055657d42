"""Goals: the documents that state them, and measuring them."""
