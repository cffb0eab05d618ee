# Installation: muster completion bash >> ~/.bashrc
_muster_complete() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    words=$(SHELL=bash muster --get-yargs-completions "${COMP_WORDS[@]:0:COMP_CWORD}" "$word" 2>/dev/null | grep -v '^--.$')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _muster_complete muster
