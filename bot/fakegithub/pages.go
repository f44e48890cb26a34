package fakegithub

import "net/http"

// servePage answers a page for people, and tells whether the path was one.
func (s *Server) servePage(http.ResponseWriter, *http.Request) bool { return false }
