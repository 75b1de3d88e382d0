package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
)

// NewObject is an object to be written: a "blob" or a "tree" with its content.
type NewObject struct {
	Type string
	Data []byte
}

// packTypes are the numbers of object types in a pack.
var packTypes = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// WriteObjects adds objects to the repository in one git process: they go as a pack to `git unpack-objects`, which
// writes them by the repository's own rules (permissions, syncing). Writing what is there already does nothing. What
// trees name is not checked: that would look up, or in a partial clone fetch, everything beside the edits.
func (r *Repo) WriteObjects(ctx context.Context, objects []NewObject) error {
	if len(objects) == 0 {
		return nil
	}
	pack, err := encodePack(r.Format, objects)
	if err != nil {
		return err
	}
	_, err = r.Do(ctx, Call{Args: []string{"unpack-objects", "-q"}, Stdin: pack})
	return err
}

// encodePack is a pack of whole objects.
func encodePack(format string, objects []NewObject) ([]byte, error) {
	sum, err := digestOf(format)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("PACK")
	out.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(objects))))
	deflate := zlib.NewWriter(&out)
	for _, o := range objects {
		kind, ok := packTypes[o.Type]
		if !ok {
			return nil, fmt.Errorf("object type %q is not known", o.Type)
		}
		out.Write(packHeader(kind, len(o.Data)))
		deflate.Reset(&out)
		if _, err := deflate.Write(o.Data); err != nil {
			return nil, fmt.Errorf("compress: %w", err)
		}
		if err := deflate.Close(); err != nil {
			return nil, fmt.Errorf("compress: %w", err)
		}
	}
	return append(out.Bytes(), sum.of(out.Bytes())...), nil
}

// packHeader is type and size of one object: four bits of the size in the first byte, then seven a byte.
func packHeader(kind byte, size int) []byte {
	head := []byte{kind<<4 | byte(size&0x0f)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	return head
}
