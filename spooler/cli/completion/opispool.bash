# SPDX-License-Identifier: AGPL-3.0-or-later
# Completion of the command opispool for bash. What there is to complete is asked of the program itself, so that it never
# knows less than the program does; queues and job numbers come from the daemon.

_opispool() {
    local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before= command= words
    COMPREPLY=()
    [ "$COMP_CWORD" -gt 0 ] && before=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$COMP_CWORD" -le 1 ]; then
        words=$("$tool" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$word")
        return
    fi
    command=${COMP_WORDS[1]}
    case $before in
    -q | --queue)
        words=$("$tool" queues 2>/dev/null | sed 1d | awk '{print $1}')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
        ;;
    --store | --output | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    esac
    case $word in
    -*)
        words=$("$tool" "$command" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
        ;;
    esac
    case $command in
    pause | resume | accept | reject | holdall | noholdall | redirect | ppd)
        words=$("$tool" queues 2>/dev/null | sed 1d | awk '{print $1}')
        ;;
    redo | copy | job | log | ledger | note)
        words=$("$tool" jobs --all 2>/dev/null | sed 1d | awk '{print $1}')
        ;;
    hold | release | cancel | stop-and-hold | topq | priority | move | schedule | why)
        words=$("$tool" jobs 2>/dev/null | sed 1d | awk '{print $1}')
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _opispool opispool
