# Counts words, whatever separates them.
[ "$(printf 'one two\tthree\nfour' | ./words)" = 4 ]
[ "$(printf '' | ./words)" = 0 ]
