package bot

// Mail sends a notice to an address, for tests.
var Mail = (*Server).mail
