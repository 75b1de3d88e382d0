package config

import (
	"encoding"
	"math"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// text hands a scalar to a type that reads itself.
func (d *decoder) text(n *yaml.Node, into encoding.TextUnmarshaler, where string) {
	if !d.expect(n, yaml.ScalarNode, where, "a single value") {
		return
	}
	if err := into.UnmarshalText([]byte(n.Value)); err != nil {
		d.fail(n, "", "%s: %v", where, err)
	}
}

// scalar decodes by the field's type, not by what YAML takes the text for: a string field given 007 or no is "007" and
// "no", a number given 007 is an error.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, where string) {
	if !d.expect(n, yaml.ScalarNode, where, "a single value") {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Value != "true" && n.Value != "false" {
			d.fail(n, "write true or false", "%s must be true or false, not %q", where, n.Value)
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Int:
		i, err := parseInt(n.Value)
		if err != nil {
			d.fail(n, "write it in decimal, without signs and leading zeros: 3", "%s: %v", where, err)
			return
		}
		v.SetInt(int64(i))
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			d.fail(n, "write it as 5 or 2.5", "%s: %q is not a number", where, n.Value)
			return
		}
		v.SetFloat(f)
	default:
		d.fail(n, "leave it out", "%s: no value can be given here", where)
	}
}
