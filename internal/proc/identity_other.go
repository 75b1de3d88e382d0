//go:build !linux && !darwin && !windows

package proc

func startOf(int) (string, error) { return "", ErrUnsupported }
