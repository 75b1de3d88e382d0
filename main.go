// Command tendril runs coding agents in parallel, from plans that live in the repository.
package main

func main() {}
