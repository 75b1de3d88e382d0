package lifecycle

import (
	"encoding/json"
	"os"

	"github.com/google/renameio/v2/maybe"
)

// holderFile is where it says who holds a lock's file: beside it, since Windows lets nobody write to a file that is locked,
// its holder included. The lock is what counts; this is for people and for who wants to reach the holder.
func holderFile(lock string) string { return lock + ".json" }

// writeHolder says who holds a lock's file.
func writeHolder(lock string, who any) error {
	data, err := json.Marshal(who)
	if err != nil {
		return err
	}
	return maybe.WriteFile(holderFile(lock), append(data, '\n'), 0o600)
}

// readHolder reads who holds a lock's file, or held it last; false where it does not say.
func readHolder(lock string, who any) bool {
	data, err := os.ReadFile(holderFile(lock))
	return err == nil && json.Unmarshal(data, who) == nil
}
