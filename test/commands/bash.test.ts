import assert from 'node:assert/strict';
import { drawn, readAs, readSh } from './support';

/** A line, and its parts as `drawn` writes them. */
type Row = readonly [line: string, ...parts: string[]];

const NBSP = '\u00a0';

const PLAIN: readonly Row[] = [
  ['npm test', 'npm test'],
  ['  npm   test  ', 'npm test'],
  ['npm\ttest', 'npm test'],
  ['"npm" \'test\'', 'npm test'],
  ['n"p"m te\'\'st', 'npm test'],
  ['\\npm t\\est', 'npm test'],
  ['npm test # and a word', 'npm test'],
  ['npm test #', 'npm test'],
  ['# first\nnpm test', 'npm test'],
  ['echo a#b', 'echo a#b'],
  ['echo "a b" \'c  d\' ""', 'echo "a b" "c  d" ""'],
  ['echo "a\\"b\\\\c\\$d"', 'echo "a\\"b\\\\c$d"'],
  ["echo 'a\nb'", 'echo "a\\nb"'],
  ['echo a\\ b', 'echo "a b"'],
  ['npm run a:b=c --x=y -1 12 @z %1 x,y', 'npm run a:b=c --x=y -1 12 @z %1 x,y'],
  ['git show HEAD^ HEAD~1', 'git show HEAD^ HEAD~1'],
  ['npm \\\n  test', 'npm test'],
  ['npm test;', 'npm test'],
  ['npm test\n', 'npm test'],
];

const JOINED: readonly Row[] = [
  ['a; b', 'a', 'b'],
  ['a;b', 'a', 'b'],
  ['a\nb', 'a', 'b'],
  ['a\n\n\nb', 'a', 'b'],
  ['a && b', 'a', 'b'],
  ['a &&\n b', 'a', 'b'],
  ['a && \\\n b', 'a', 'b'],
  ['a||b', 'a', 'b'],
  ['a | b', 'a', 'b'],
  ['a | b |& c || d', 'a', 'b', 'c', 'd'],
  ['! a', 'a'],
  ['a # b\nc', 'a', 'c'],
  ['npm test; curl x|sh', 'npm test', 'curl x', 'sh !interpreter'],
  ['npm test\nrm -rf x', 'npm test', 'rm -rf x'],
  ['npm test && rm -rf x &', 'npm test !background', 'rm -rf x !background'],
  ['a & b', 'a !background', 'b'],
  ['a;;b', 'a !odd', 'b'],
];

const LIVE: readonly Row[] = [
  ['ls *.ts', 'ls ‹*.ts›'],
  ["ls '*.ts' \\*.ts", 'ls *.ts *.ts'],
  ['ls a? [ab] ~ ~/x =ls a:~/b', 'ls ‹a?› ‹[ab]› ‹~› ‹~/x› ‹=ls› ‹a:~/b›'],
  ['echo $HOME ${HOME} "$HOME/x" $1 $? $@', 'echo ‹$HOME› ‹${HOME}› ‹$HOME/x› ‹$1› ‹$?› ‹$@›'],
  ['echo {a,b} {1..3} a{b,c}', 'echo ‹{a,b}› ‹{1..3}› ‹a{b,c}›'],
  ['find . -name {} -I{}', 'find . -name {} -I{}'],
  ['echo $\'a\\tb\' $"c"', 'echo ‹a\tb› c !odd'],
  ['rm$IFS-rf x', '‹rm$IFS-rf› x !expansion'],
  ['$X -rf /', '‹$X› -rf / !expansion'],
  ['"$X" y', '‹$X› y !expansion'],
  ["$'rm' x", '‹rm› x !expansion'],
  ["$'\\x72\\155' x", '‹rm› x !expansion'],
  ['r{m,n} x', '‹r{m,n}› x !expansion'],
  ['/bin/r? x', '‹/bin/r?› x !expansion'],
  ['~/bin/x', '‹~/bin/x› !expansion'],
  ["r''m x", 'rm x'],
  ['\\rm x', 'rm x'],
];

const COMPUTED: readonly Row[] = [
  ['echo $(rm x)', 'echo ‹$(rm x)› !substitution', '> rm x !substitution'],
  ['echo `rm x`', 'echo ‹`rm x`› !substitution', '> rm x !substitution'],
  ['echo "a $(rm x)"', 'echo ‹a $(rm x)› !substitution', '> rm x !substitution'],
  ['$(echo rm) x', '‹$(echo rm)› x !expansion', '> echo rm !expansion'],
  ['diff <(rm a) b', 'diff ‹<(rm a)› b !substitution', '> rm a !substitution'],
  ['a >(rm b)', 'a ‹>(rm b)› !substitution', '> rm b !substitution'],
  ['echo ${x:-$(rm y)}', 'echo ‹${x:-$(rm y)}› !substitution', '> rm y !substitution'],
  ['echo ${x@P} ${x:=y}', 'echo ‹${x@P}› ‹${x:=y}› !substitution'],
  ['echo $((1+2))', 'echo ‹$((1+2))› !substitution'],
  ['echo $((a[$(rm x)]))', 'echo ‹$((a[$(rm x)]))› !substitution', '> rm x !substitution'],
  ['((x=1))', '‹((x=1))› !expansion'],
  [
    "echo $(bash -c 'rm x')",
    "echo ‹$(bash -c 'rm x')› !substitution",
    '> bash -c "rm x" !substitution',
    '> rm x !interpreter',
  ],
];

const REDIRECTED: readonly Row[] = [
  ['npm test 2>&1', 'npm test'],
  ['npm test >/dev/null 2>&1', 'npm test'],
  ['npm test > /dev/null', 'npm test'],
  ['npm test 2>>/dev/null </dev/null', 'npm test'],
  ['npm test >&2', 'npm test'],
  ['2>&1 npm test', 'npm test'],
  ['npm test 2>&1 | tail -5', 'npm test', 'tail -5'],
  ['npm test > out', 'npm test !redirection'],
  ['npm test >> out', 'npm test !redirection'],
  ['npm test >| out', 'npm test !redirection'],
  ['npm test <in', 'npm test !redirection'],
  ['npm test &> /dev/null', 'npm test !redirection'],
  ['npm test 2>&-', 'npm test !redirection'],
  ['npm test 3>&1', 'npm test !redirection'],
  ['npm test >/dev/null/../../etc/x', 'npm test !redirection'],
  ['npm test > $X', 'npm test !redirection'],
  ['npm test > $(rm x)', 'npm test !redirection', '> rm x !redirection'],
  ['>out npm test', 'npm test !redirection'],
  ['> /dev/null npm test', 'npm test'],
  ['npm > /dev/null test', 'npm !redirection'],
  ['> out', '() !redirection'],
  ['git show > file', 'git show !redirection'],
  ['cat <<EOF\nx\nEOF', 'cat !heredoc'],
  ['cat <<EOF | sh\n$(rm y)\nEOF', 'cat !heredoc', '> sh !heredoc', '> rm y !heredoc'],
  ["cat <<'EOF'\n$(rm y)\nEOF", 'cat !heredoc'],
  ['bash <<< "rm x"', 'bash !interpreter'],
  ['cat <<< x', 'cat !heredoc'],
];

const FORMS: readonly Row[] = [
  ['A=1 npm test', 'npm test !assignment'],
  ['NODE_OPTIONS=--require=./x npm test', 'npm test !assignment'],
  ['A=$(rm x) npm test', 'npm test !assignment', '> rm x !assignment'],
  ['A=1; npm test', '() !assignment', 'npm test'],
  ['A=(1 $(rm x))', '() !assignment', '> rm x !assignment'],
  ['export A=1', '() !shell_state'],
  ['unset A', '() !shell_state'],
  ['alias npm=rm; npm test', 'alias npm=rm !shell_state', 'npm test'],
  ['set -- a', 'set -- a !shell_state'],
  ['. ./x', '. ./x !shell_state'],
  ['source x', 'source x !shell_state'],
  ['trap "rm x" EXIT', 'trap "rm x" EXIT !shell_state', '> rm x !shell_state'],
  ['(npm test)', '() !construct', '> npm test !construct'],
  ['{ npm test; }', '() !construct', '> npm test !construct'],
  ['{ npm test; } > out', '() !construct', '> npm test !construct'],
  ['if a; then rm x; fi', '() !construct', '> a !construct', '> rm x !construct'],
  ['for i in a b; do rm $i; done', '() !construct', '> rm ‹$i› !construct'],
  ['while a; do b; done', '() !construct', '> a !construct', '> b !construct'],
  ['case x in y) rm z;; esac', '() !construct', '> rm z !construct'],
  ['npm() { rm x; }; npm test', '() !construct', '> () !construct', '> rm x !construct', 'npm test'],
  ['function f { rm x; }', '() !construct', '> () !construct', '> rm x !construct'],
  ['[ -f x ] && rm y', '() !odd', 'rm y'],
  ['[[ -f x ]] && rm y', '() !odd', 'rm y'],
  ['coproc rm x', 'coproc rm x !wrapper', '> rm x !wrapper'],
  ['let x=1', 'let x=1 !shell_state'],
];

const PROGRAMS: readonly Row[] = [
  ['bash -c "rm x"', 'bash -c "rm x" !interpreter', '> rm x !interpreter'],
  ["sh -ec 'a; rm x'", 'sh -ec "a; rm x" !interpreter', '> a !interpreter', '> rm x !interpreter'],
  ['bash -c "rm x; $Y"', 'bash -c ‹rm x; $Y› !hidden', '> rm x !hidden', '> ‹$Y› !expansion'],
  ['bash -c $X', 'bash -c ‹$X› !hidden'],
  ['bash -c "if"', 'bash -c if !hidden'],
  ['bash script', 'bash script !interpreter'],
  ['/bin/bash -lc x', '/bin/bash -lc x !interpreter', '> x !interpreter'],
  ['eval rm x', 'eval rm x !wrapper', '> rm x !wrapper'],
  ['eval "$X"', 'eval ‹$X› !hidden', '> ‹$X› !expansion'],
  ['env A=b rm x', 'env A=b rm x !wrapper', '> rm x !wrapper'],
  ['env -u A -S "rm x"', 'env -u A -S "rm x" !wrapper', '> rm x !wrapper'],
  ['sudo rm x', 'sudo rm x !wrapper', '> rm x !wrapper'],
  [
    "sudo -u root sh -c 'rm x'",
    'sudo -u root sh -c "rm x" !wrapper',
    '> sh -c "rm x" !wrapper',
    '> rm x !interpreter',
  ],
  ['sudo -nu root rm x', 'sudo -nu root rm x !wrapper', '> rm x !wrapper'],
  ['sudo -nuroot rm x', 'sudo -nuroot rm x !wrapper', '> rm x !wrapper'],
  ['sudo --user=root rm x', 'sudo --user=root rm x !wrapper', '> rm x !wrapper'],
  ['a | xargs -0n 1 rm', 'a', 'xargs -0n 1 rm !wrapper', '> rm !wrapper'],
  ['env -iu HOME rm x', 'env -iu HOME rm x !wrapper', '> rm x !wrapper'],
  ['env -vS "rm x"', 'env -vS "rm x" !wrapper', '> rm x !wrapper'],
  ['env --split-string="rm x"', 'env "--split-string=rm x" !wrapper', '> rm x !wrapper'],
  ['env A=b rm -S x', 'env A=b rm -S x !wrapper', '> rm -S x !wrapper', '> x !wrapper'],
  ['timeout -vk 5 10 rm x', 'timeout -vk 5 10 rm x !wrapper', '> rm x !wrapper'],
  ['strace -fe trace=file rm x', 'strace -fe trace=file rm x !wrapper', '> rm x !wrapper'],
  ['ssh -tp 22 host rm x', 'ssh -tp 22 host rm x !wrapper', '> rm x !wrapper'],
  ['su -lc "rm x" bob', 'su -lc "rm x" bob !wrapper', '> bob !wrapper', '> rm x !wrapper'],
  [
    'script -qec "rm x" /dev/null',
    'script -qec "rm x" /dev/null !wrapper',
    '> /dev/null !wrapper',
    '> rm x !wrapper',
  ],
  ['flock -n f -c "rm x"', 'flock -n f -c "rm x" !wrapper', '> rm x !wrapper'],
  ['doas rm x', 'doas rm x !wrapper', '> rm x !wrapper'],
  ['nohup nice -n 5 rm x', 'nohup nice -n 5 rm x !wrapper', '> nice -n 5 rm x !wrapper', '> rm x !wrapper'],
  ['time rm x', 'time rm x !wrapper', '> rm x !wrapper'],
  ['timeout -k 1 5 rm x', 'timeout -k 1 5 rm x !wrapper', '> rm x !wrapper'],
  ['command rm x', 'command rm x !wrapper', '> rm x !wrapper'],
  ['exec rm x', 'exec rm x !wrapper', '> rm x !wrapper'],
  ['a | xargs -n 1 rm', 'a', 'xargs -n 1 rm !wrapper', '> rm !wrapper'],
  [
    "xargs -I{} sh -c 'rm {}'",
    'xargs -I{} sh -c "rm {}" !wrapper',
    '> sh -c "rm {}" !wrapper',
    '> rm {} !interpreter',
  ],
  ['watch -n 1 rm x', 'watch -n 1 rm x !wrapper', '> rm x !wrapper'],
  ['ssh -p 2 host rm x', 'ssh -p 2 host rm x !wrapper', '> rm x !wrapper'],
  ['su -c "rm x"', 'su -c "rm x" !wrapper', '> rm x !wrapper'],
  ['busybox rm x', 'busybox rm x !interpreter', '> rm x !interpreter'],
  ['find . -name x', 'find . -name x'],
  ['find . -exec rm {} \\;', 'find . -exec rm {} ; !action', '> rm {} !action'],
  ['find . -delete', 'find . -delete !action'],
  ['find . -ok rm {} +', 'find . -ok rm {} + !action', '> rm {} !action'],
  ['node x.js', 'node x.js !interpreter'],
  ['/usr/bin/python3.12 -c 1', '/usr/bin/python3.12 -c 1 !interpreter'],
  ['perl -e 1', 'perl -e 1 !interpreter'],
  ['awk 1', 'awk 1 !interpreter'],
  ['sed -n 1p x', 'sed -n 1p x !interpreter'],
  ['pwsh -Command "rm x"', 'pwsh -Command "rm x" !interpreter', '> rm x !interpreter'],
  ['NODE x', 'NODE x !interpreter'],
  ['nodemon x', 'nodemon x'],
  ['pythonic x', 'pythonic x'],
];

const FOLDERS: readonly Row[] = [
  ['cd a && npm test', 'cd a', 'npm test @a'],
  ['cd a && cd b && npm test | tail', 'cd a', 'cd b @a', 'npm test @a/b', 'tail @a/b'],
  ["cd 'x y' && a", 'cd "x y"', 'a @x y'],
  ['a && cd b && c', 'a', 'cd b', 'c @b'],
  ['cd a; b', 'cd a', 'b !moved'],
  ['cd a\nb', 'cd a', 'b !moved'],
  ['cd a || b', 'cd a', 'b !moved'],
  ['cd a && b; c', 'cd a', 'b @a', 'c !moved'],
  ['cd a && b || c', 'cd a', 'b @a', 'c !moved'],
  ['a || cd b && c', 'a', 'cd b', 'c !moved'],
  ['cd $X && a', 'cd ‹$X›', 'a !moved'],
  ['cd - && a', 'cd -', 'a !moved'],
  ['cd && a', 'cd', 'a !moved'],
  ['cd a | b', 'cd a', 'b !moved'],
  ['pushd a && b', 'pushd a !shell_state', 'b !moved'],
  ['popd && b', 'popd !shell_state', 'b !moved'],
];

const UNREAD: readonly Row[] = [
  ['', '?empty'],
  ['   \n ', '?empty'],
  ['# only words', '?empty'],
  ['npm "test', '?syntax'],
  ['npm test)', '?syntax'],
  ['if true', '?syntax'],
  ['ls *(e:x:)', '?syntax'],
  ['np\\\nm test', '?syntax'],
  ['\\\nnpm test', '?syntax'],
  [`npm${NBSP}test`, '?characters'],
  ['npm\u2003test', '?characters'],
  ['npm\u200btest', '?characters'],
  ['npm\rtest', '?characters'],
  ['npm\vtest', '?characters'],
  ['npm test\u202e', '?characters'],
  ['npm \u001b[0m', '?characters'],
  ['a' + ' '.repeat(65_536), '?size'],
  ['x'.repeat(65_536), '?size'],
  ['a;'.repeat(200), '?size'],
  ['env '.repeat(1_000) + 'a', '?size'],
  ['$('.repeat(300) + 'a' + ')'.repeat(300), '?size'],
];

describe('A10 a line of a POSIX shell', () => {
  const tables: Readonly<Record<string, readonly Row[]>> = {
    'is words, whatever quotes and blanks they are written with': PLAIN,
    'is each of its commands': JOINED,
    'has words that are only known when it runs': LIVE,
    'is searched where the shell computes a word': COMPUTED,
    'may be told to write nowhere': REDIRECTED,
    'asks for each form that is more than a command': FORMS,
    'tells what a program runs': PROGRAMS,
    'tells in which folder each part runs': FOLDERS,
    'is not read where it is not sure': UNREAD,
  };
  for (const [title, rows] of Object.entries(tables))
    it(title, async () => {
      for (const [line, ...parts] of rows)
        assert.deepEqual(drawn(await readSh(line)), parts, JSON.stringify(line).slice(0, 80));
    }).timeout(20_000);

  it('is read in the language of its shell, and in no other', async () => {
    for (const shell of ['sh', '/bin/bash', '/usr/bin/zsh', 'dash', 'ksh'])
      assert.deepEqual(drawn(await readAs(shell, 'npm test')), ['npm test'], shell);
    for (const shell of ['fish', 'cmd.exe', 'nu', '', '/bin/csh'])
      assert.deepEqual(drawn(await readAs(shell, 'npm test')), ['?shell'], shell);
  });

  it('is read or given up in bounded time, however it is made', async () => {
    const hostile = [
      '(',
      '$(',
      '"$(',
      '${a:-',
      '`',
      'a|',
      '<<a ',
      '$((',
      '{ ',
      '[[ (',
      'case x in ',
      'if a; then ',
      "eval '",
    ];
    for (const piece of hostile) {
      // Processor time, which other work on the machine does not lengthen; without bounds it would be minutes.
      const began = process.cpuUsage();
      const reading = await readSh(piece.repeat(Math.floor(16_000 / piece.length)));
      const { user, system } = process.cpuUsage(began);
      assert.equal(reading.kind, 'unparsed', piece);
      assert.ok(user + system < 10_000_000, `${piece} took ${(user + system) / 1_000} ms`);
    }
  }).timeout(60_000);

  it('is plain data that can be stored', async () => {
    const reading = await readSh("cd a && sudo rm $X 'b c' > d");
    assert.deepEqual(JSON.parse(JSON.stringify(reading)), reading);
  });
});
