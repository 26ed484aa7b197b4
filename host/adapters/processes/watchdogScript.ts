/**
 * The watchdog's program: it waits for the end of its input, which comes when the host is gone in whatever way,
 * and then ends what the host has left running (X6). A shell runs it, since it starts in a millisecond, takes
 * one megabyte, and is there wherever a command can be run.
 *
 * Lines of its input are `+GROUP` and `-GROUP`: a process group that a command leads, and its end. Its argument
 * is the host's mark. It ends what carries the mark, is in one of the groups, descends from such a process, or
 * is in a group or session that such a process leads: by SIGTERM, and after a second by SIGKILL.
 */
export const WATCHDOG_SCRIPT = [
  "trap '' HUP INT QUIT TERM PIPE",
  'mark=$1',
  "groups=' '",
  "blank=' '",
  "newline='",
  "'",
  'while IFS= read -r line; do',
  '  case $line in',
  '    +*) groups="$groups${line#+} " ;;',
  '    -*)',
  '      gone=" ${line#-} "',
  '      case $groups in *"$gone"*) groups="${groups%%"$gone"*} ${groups#*"$gone"}" ;; esac',
  '      ;;',
  '  esac',
  'done',

  // Each process as PID:PARENT:GROUP:SESSION; dead ones and lines that make no sense are left out.
  'look() {',
  '  IFS=$newline',
  '  table=',
  '  if [ -r /proc/self/stat ]; then',
  // One program reads all, since a shell reads by the byte. A name can hold anything, so that what follows
  // it has to be numbers.
  '    all=$(cat /proc/[0-9]*/stat 2>/dev/null)',
  '    set -f',
  '    for line in $all; do',
  '      IFS=$blank',
  '      set -- ${line##*) }',
  '      IFS=$newline',
  '      case ${line%% *}:$2:$3:$4 in *[!0-9:]* | :* | *::* | *:) continue ;; esac',
  '      case $1 in [ZX]) ;; *) table="$table$newline${line%% *}:$2:$3:$4" ;; esac',
  '    done',
  '    set +f',
  '    marked=$(grep -lsF -e "BELAY_HOST=$mark" /proc/[0-9]*/environ)',
  '  else',
  '    IFS=$blank',
  '    table=$(ps -A -o pid=,ppid=,pgid=,stat= | while read -r pid parent group state; do',
  '      case $state in Z*) ;; *) echo "$pid:$parent:$group:$group" ;; esac',
  '    done)',
  '    marked=$(ps -A -E -ww -o pid=,command= | while read -r pid words; do',
  '      case $words in *" BELAY_HOST=$mark"*) echo "$pid" ;; esac',
  '    done)',
  '    IFS=$newline',
  '  fi',
  "  found=' '",
  '  for entry in $marked; do',
  '    entry=${entry#/proc/}',
  '    found="$found${entry%/environ} "',
  '  done',
  '  grown=yes',
  '  while [ "$grown" = yes ]; do',
  '    grown=no',
  '    for row in $table; do',
  '      pid=${row%%:*}',
  '      rest=${row#*:}',
  '      parent=${rest%%:*}',
  '      rest=${rest#*:}',
  '      case $found in *" $pid "*) continue ;; esac',
  '      case $found$groups in',
  '        *" $parent "* | *" ${rest%:*} "* | *" ${rest#*:} "*)',
  '          found="$found$pid "',
  '          grown=yes',
  '          ;;',
  '      esac',
  '    done',
  '  done',
  '  IFS=$blank',
  '  [ "$found" != " " ]',
  '}',

  'rounds=0',
  'while look; do',
  '  case $rounds in',
  '    0) kill -TERM $found 2>/dev/null ;;',
  '    1[0-9] | [2-9][0-9]) kill -KILL $found 2>/dev/null ;;',
  '    [1-9]) ;;',
  '    *) exit 1 ;;',
  '  esac',
  '  rounds=$((rounds + 1))',
  '  sleep 0.1 2>/dev/null || sleep 1',
  'done',
].join('\n');

/**
 * The same on Windows, where Node runs it: groups are pids of shells, whose trees `taskkill` ends.
 * Not run by any test.
 */
export const WATCHDOG_SCRIPT_WINDOWS = [
  "const { spawnSync } = require('node:child_process');",
  'const groups = new Set();',
  "require('node:readline')",
  '  .createInterface({ input: process.stdin })',
  "  .on('line', (line) => (line[0] === '+' ? groups.add(line.slice(1)) : groups.delete(line.slice(1))))",
  "  .on('close', () => {",
  "    for (const pid of groups) spawnSync('taskkill', ['/T', '/F', '/PID', pid], { windowsHide: true });",
  '  });',
].join('\n');
