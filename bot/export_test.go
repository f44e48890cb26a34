package bot

// What tests call beside the server.
var (
	Mail     = (*Server).mail
	Replaced = replaced
)
