package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// digest is the hash of an object format.
type digest struct {
	size int
	of   func([]byte) []byte
}

func digestOf(format string) (digest, error) {
	switch format {
	case "sha1":
		return digest{sha1.Size, func(b []byte) []byte { s := sha1.Sum(b); return s[:] }}, nil
	case "sha256":
		return digest{sha256.Size, func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }}, nil
	}
	return digest{}, fmt.Errorf("object format %q is not known", format)
}

// ObjectID is the id that an object of the type ("blob", "tree", …) with that content has in the object format.
func ObjectID(format, kind string, data []byte) (string, error) {
	d, err := digestOf(format)
	if err != nil {
		return "", err
	}
	head := fmt.Appendf(nil, "%s %d\x00", kind, len(data))
	return hex.EncodeToString(d.of(append(head, data...))), nil
}

// ZeroID is the id that means "no object" in the object format.
func ZeroID(format string) string {
	if format == "sha256" {
		return fmt.Sprintf("%064d", 0)
	}
	return fmt.Sprintf("%040d", 0)
}
