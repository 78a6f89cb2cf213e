"""What the tests of the page stand on: a database, programs, a browser, and the page as its users see it."""
