package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says in one line what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := "--" + e.GetSpecifiedName()
		if letters := e.GetSpecifiedShortnames(); letters != "" {
			name = "-" + letters
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return unknown("flag", name, names, fmt.Sprintf("%s --help lists them", cmd.CommandPath()))
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		wants := map[string]string{"bool": "true or false", "int": "a whole number", "duration": "a time like 150ms or 2s"}
		f := e.GetFlag()
		return fmt.Errorf("--%s wants %s, not %s", f.Name, wants[f.Value.Type()], quoted(e.GetValue()))
	}
	return err
}
