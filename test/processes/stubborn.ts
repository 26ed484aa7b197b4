/** Commands that are hard to end; each prints `up` once all of it runs. */
export const STUBBORN: Readonly<Record<string, string>> = {
  'a plain child': 'sleep 1000 & echo up; wait',
  'a shell that ignores SIGTERM': `trap '' TERM HUP INT; echo up; while :; do sleep 1000; done`,
  'a child in a session of its own':
    'setsid sh -c "echo > $up; exec sleep 1000" & read x < $up; echo up; wait',
  nohup: 'nohup sleep 1000 > /dev/null 2>&1 & echo up; wait',
  'a double fork whose parents are gone':
    '(setsid sh -c "(sh -c \\"echo > $up; exec sleep 1000\\" &) ; exit" &); read x < $up; echo up; exec sleep 1000',
  'a child in its own session that ignores SIGTERM': `setsid sh -c "trap '' TERM; echo > $up; while :; do sleep 1000; done" & read x < $up; echo up; wait`,
  'a child without the environment': 'env -i sleep 1000 & echo up; wait',
  'a child in its own session without the environment':
    'env -i setsid sh -c "echo > $up; exec sleep 1000" & read x < $up; echo up; wait',
  'a tree that starts new processes while it dies': `trap 'sleep 1000 & sleep 1000' TERM; echo up; while :; do sleep 1000 & wait $!; done`,
};

/** The command with a pipe of its own to know when it is up, holding another one open as long as any of it lives. */
export function holding(command: string, held: string): string {
  return `exec 9>${held}; up=$(mktemp -u -p .); mkfifo $up; ${command}`;
}
