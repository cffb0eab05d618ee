# Installation: muster completion fish > ~/.config/fish/completions/muster.fish
function __muster_complete
    set -l typed (commandline -ct)
    set -l words (SHELL=zsh muster --get-yargs-completions (commandline -opc) $typed 2>/dev/null | string replace ':' \t)
    set -l fitting (string match -- "$typed*" $words | string match --invert --regex '^--.(\t|$)')
    if test (count $fitting) -gt 0
        printf '%s\n' $fitting
    else
        __fish_complete_path $typed
    end
end
complete --command muster --no-files --arguments '(__muster_complete)'
