package reports

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Sentences of check runs about runs that have no verdict. Each says what happened and
// what to do.

// OnlySomeHarnesses is said where harnesses of a commit have never been verified.
const OnlySomeHarnesses = "Not all harnesses of this commit have been verified: press Re-run, or comment `/firmproof rerun`."

// NoBase is said where the commit that a change starts from has no answer.
func NoBase(why string) string {
	return "The base cannot be verified, so nothing is known of it: " + why
}

// NoTag is said where functions have to do what they do at a tag.
func NoTag(tag string) string { return "the repository has no tag " + tag }

// NoManifest is said of a repository that asks for nothing.
func NoManifest(name string) string {
	return "There is no " + name + " in the root of the repository, so there is nothing to verify. " +
		"`firmproof init` writes a first one."
}

// ManifestGone is said of a change that deletes the manifest.
func ManifestGone(name string) string {
	return "This change deletes or renames " + name + ", which the branch that it is to be merged into has, " +
		"so nothing of it can be verified. Put the file back. If the repository shall not be verified any more, " +
		"someone who may bypass the required check has to merge this."
}

// OurFault is said of a run that was given up.
func OurFault(why string) string {
	return "This could not be verified because of a fault on our side, not of your code: " + why +
		". Press Re-run to try again; if it stays, tell whoever runs this server."
}

// LimitReached is said of a build that needs more than a run may have; of is the limit's value, if it is known.
func LimitReached(limit, of string) string {
	if limit == "time" {
		return "The build gave no answer within " + of + ". Make it shorter (build fewer targets, or only what " +
			"the harnesses need), or ask whoever runs this server for a larger --run-limit."
	}
	return "The build reached the limit on " + limit + " of one run, so nothing of this commit is verified. Make " +
		"it smaller (fewer jobs at a time, or only what the harnesses need), or ask whoever runs this server for more."
}

// AcceptedRow is a claim that somebody accepts.
type AcceptedRow struct {
	Claim string
	verdict.Accepted
}

// AcceptedTable lists what is accepted, in Markdown.
func AcceptedTable(rows []AcceptedRow) string {
	if len(rows) == 0 {
		return "No comment accepts anything at present."
	}
	var b strings.Builder
	b.WriteString("| claim | because | by | until |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", codeCell(r.Claim), Inert(r.Reason), Inert(r.By),
			cmp.Or(r.Until, "no end"))
	}
	return b.String()
}

// ForkRefused is said where pull requests from forks are not built.
func ForkRefused(why string) string {
	return "Pull requests from forks are not built on this server: " + why + " Push the branch to this repository " +
		"to have it verified."
}

// ForkWaits is said of a fork's commit that nobody has approved.
func ForkWaits(sha string) string {
	return fmt.Sprintf("This pull request comes from a fork, and its author is no member of this repository. "+
		"Building it runs its code (in a sandbox, without network or credentials). Someone with write access who has "+
		"looked at this commit starts it with the button above or the comment `/firmproof approve %s`.", ShortSHA(sha))
}

// ForkManifest is said of a fork that changes the manifest.
func ForkManifest(name string) string {
	return "This pull request comes from a fork and changes " + name +
		": it is analysed with the one of the base branch."
}

// DefaultsOnly is said of the repository with an owner's defaults.
func DefaultsOnly(owner string) string {
	return "These are the defaults for the repositories of " + owner + "; there is nothing to verify here."
}

// Against says what a change is judged against.
func Against(branch, sha string) string {
	return fmt.Sprintf("To be merged into %s, compared with %s.", Code(branch), Code(ShortSHA(sha)))
}

// AnnotationsRefused is said where GitHub did not take the notes on lines.
func AnnotationsRefused(posted, all int, why string) string {
	return fmt.Sprintf("%d of %s missing on the lines of the change, because GitHub refused them: %s. The list below is "+
		"complete.", all-posted, plural(all, "annotation")+are(all), Inert(why))
}

// SARIFRefused is said where GitHub did not take the findings for code scanning.
func SARIFRefused(why string) string {
	return fmt.Sprintf("GitHub's code scanning does not show what was found here, because it refused the upload: %s.", Inert(why))
}

// TextRefused is the whole text of a check run whose own text GitHub did not take.
func TextRefused(why, url string) string {
	return fmt.Sprintf("GitHub refused the text of this check: %s. The [full report](%s) has it.", Inert(why), url)
}

// ShortSHA is the beginning of a commit's name, as people read it.
func ShortSHA(sha string) string {
	if len(sha) > 10 {
		return sha[:10]
	}
	return sha
}
