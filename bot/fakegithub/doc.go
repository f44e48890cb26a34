// Package fakegithub is a stateful, offline stand-in for GitHub: the part of
// its REST API that an App needs, git over HTTP, webhooks and a plain view of
// pull requests for people.
//
// Every call to the API and every answer is checked against the contract that
// GitHub publishes (package contract), plus the limits that the document does
// not state. What breaks it is kept in the list of violations, which
// GET /_fake/state shows: a caller's mistakes as they are, the stand-in's own
// marked "fakegithub bug". An operation that is not modelled answers 501 and
// is a violation too: nothing is skipped in silence.
//
// One App with one installation is modelled. Calls below /_fake/ are for
// people and scripts; each is documented at its function in control.go.
package fakegithub
