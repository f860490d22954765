# SPDX-License-Identifier: AGPL-3.0-or-later
# Completion of the command opispool for fish; asks the program and the daemon what there is.

function __opispool_options
    set -l words (commandline -opc)
    opispool $words[2] --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]*'
end
function __opispool_first_column
    opispool $argv 2>/dev/null | tail -n +2 | string match -rg '^ *([^ ]+)'
end

set -l of_queues pause resume accept reject holdall noholdall redirect ppd
set -l of_kept redo copy job log ledger note
set -l of_waiting hold release cancel stop-and-hold topq priority move schedule why
complete -c opispool -n __fish_use_subcommand -f -a "(opispool --help 2>/dev/null | string replace -rf '^  ([a-z][a-z-]*)  *(.*)' '\$1\t\$2')"
complete -c opispool -n "not __fish_use_subcommand" -a "(__opispool_options)"
complete -c opispool -n "__fish_seen_subcommand_from $of_queues" -f -a "(__opispool_first_column queues)"
complete -c opispool -n "__fish_seen_subcommand_from $of_kept" -f -a "(__opispool_first_column jobs --all)"
complete -c opispool -n "__fish_seen_subcommand_from $of_waiting" -f -a "(__opispool_first_column jobs)"
