"""Reading scanned pages: pages made from our own texts, and what is read from them."""
