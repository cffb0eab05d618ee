# Installation: muster completion zsh >> ~/.zshrc
_muster() {
    local -a found
    found=(${(f)"$(SHELL=zsh muster --get-yargs-completions ${words[1,CURRENT]} 2>/dev/null)"})
    found=(${found:#--?(|:*)})
    if (( ${#found} )); then _describe muster found; else _files; fi
}
(( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef _muster muster
