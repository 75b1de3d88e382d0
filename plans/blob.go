package plans

import (
	"crypto/sha1" //nolint:gosec // git's object ids
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// blobID is the id that git gives to data as a blob, in the object format "sha1" or "sha256".
func blobID(format string, data []byte) (string, error) {
	var h hash.Hash
	switch format {
	case "sha1":
		h = sha1.New() //nolint:gosec // git's object ids
	case "sha256":
		h = sha256.New()
	default:
		return "", fmt.Errorf("unknown object format %q", format)
	}
	// Writing to a hash never fails.
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(data))
	_, _ = h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), nil
}
