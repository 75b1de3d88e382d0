package detect

import (
	"path"
	"strings"
)

// How much of a tree is walked through to see whether it holds tests: what is larger is taken to have some.
const (
	maxFolders = 400
	maxRead    = 400
)

// contains reports whether the place holds a file whose name ends so, with a text in it; an empty text is any.
func (p *place) contains(ending, text string) bool {
	folders, read := 0, 0
	var walk func(dir string) bool
	walk = func(dir string) bool {
		if folders++; folders > maxFolders {
			return true
		}
		for _, name := range p.list(dir) {
			below, isFolder := strings.CutSuffix(name, "/")
			switch {
			case isFolder && !strings.HasPrefix(below, ".") && below != "vendor" && below != "node_modules" && below != "testdata":
				if walk(path.Join(dir, below)) {
					return true
				}
			case isFolder || !strings.HasSuffix(name, ending):
			case text == "":
				return true
			default:
				if read++; read > maxRead {
					return true
				}
				if content, ok := p.read(path.Join(dir, name)); ok && strings.Contains(content, text) {
					return true
				}
			}
		}
		return false
	}
	return walk("")
}
