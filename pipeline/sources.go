package pipeline

import (
	"context"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Bounds on the sources that are kept beside a report.
const (
	maxSourceFile  = 1 << 20
	maxSourceFiles = 40
	maxSourceLines = 30_000
)

// sources are the files of the commit that the report's counterexamples and coverage are about, from the mirror that the build
// fetched. Pages do without those that cannot be had here.
func (s *Service) sources(ctx context.Context, run store.Run, report *verdict.Report) map[string]verdict.Source {
	mirror := s.mirrors.Existing(folderOf(run.Installation, run.Repo))
	if mirror == nil || run.HeadSHA == "" {
		return nil
	}
	files, lines := 0, 0
	return reports.ReportSources(report, func(file string) []byte {
		if files++; files > maxSourceFiles || lines > maxSourceLines {
			return nil
		}
		text, err := mirror.File(ctx, run.HeadSHA, file, maxSourceFile)
		if err != nil {
			return nil // a header of the compiler, a generated file
		}
		for _, b := range text {
			if b == '\n' {
				lines++
			}
		}
		return text
	})
}
