# shellcheck shell=sh disable=SC2034,SC2016

# --- reading ---
secret='mkdir -p $HOME/.ssh; echo secret >$HOME/.ssh/id'

name='a key of ssh'
prepare=$secret
inside='cat $HOME/.ssh/id >loot'
proof='grep -q secret loot'
try

name='a key through a link in the working directory'
prepare=$secret'; ln -s $HOME/.ssh link'
inside='cat link/id >loot'
proof='grep -q secret loot'
try

name='a key through a link made inside'
prepare=$secret
inside='ln -s $HOME/.ssh/id x; cat x >loot; cp -rL $HOME/.ssh y; cat y/id >>loot'
proof='grep -q secret loot'
try

name='a key through a hard link'
prepare=$secret
inside='ln $HOME/.ssh/id x; cat x >loot'
proof='grep -q secret loot'
try

name='a key through /proc/self/root'
prepare=$secret
inside='cat /proc/self/root$HOME/.ssh/id /proc/self/cwd/../home/.ssh/id >loot'
proof='grep -q secret loot'
try

name='a key through other processes'
prepare=$secret
inside='for p in /proc/[0-9]*; do cat $p/root$HOME/.ssh/id; done >loot'
proof='grep -q secret loot'
try

name='a key by way of the folder above'
prepare=$secret
inside='cd ..; cat home/.ssh/id >work/loot; cd /; cat ./$HOME/.ssh/../.ssh/id >>$OLDPWD/work/loot'
proof='grep -q secret loot'
try

name='the list of what is hidden'
prepare=$secret
inside='ls $HOME/.ssh >loot'
proof='grep -q id loot'
try

name='a file that is denied by itself'
prepare='echo secret >$HOME/.netrc'
inside='cat $HOME/.netrc >loot; cp $HOME/.netrc x; cat x >>loot'
proof='grep -q secret loot'
try

name='a denied link to somewhere else'
prepare='mkdir $out/vault; echo secret >$out/vault/key; ln -s $out/vault $HOME/.gnupg'
inside='cat $HOME/.gnupg/key $out/vault/key >loot'
proof='grep -q secret loot'
try

name='a token of another runtime'
prepare='mkdir $HOME/.codex; echo secret >$HOME/.codex/auth.json'
inside='cat $HOME/.codex/auth.json >loot'
proof='grep -q secret loot'
try

name='what was typed'
prepare='echo secret >$HOME/.bash_history'
inside='cat $HOME/.bash_history >loot'
proof='grep -q secret loot'
try

name='the state of another run'
prepare='mkdir -p $HOME/.local/state/agentrun/run-other; echo secret >$HOME/.local/state/agentrun/run-other/auth'
inside='cat $HOME/.local/state/agentrun/run-other/auth >loot; cat $HOME/.local/state/agentrun/*/auth >>loot'
proof='grep -q secret loot'
try

name='a file hidden with --deny-read'
options='--deny-read .env --deny-read sub/key'
prepare='echo secret >.env; mkdir sub; echo secret >sub/key'
inside='cat .env sub/key >loot; mv .env x; mv sub y; cat x y/key >>loot; ln y/key z; cat z >>loot; rm -f .env'
proof='grep -q secret loot'
try

name='passwords of the system'
prepare='true'
inside='cat /etc/shadow >loot'
proof='test -s loot'
bare=root
try

name='a hidden folder that is uncovered by umount'
prepare=$secret
inside='umount $HOME/.ssh; umount -l $HOME/.ssh; cat $HOME/.ssh/id >loot'
proof='grep -q secret loot'
try

name='a hidden folder in namespaces of the agent'
prepare=$secret
inside='unshare -Urm sh -c "umount -l $HOME/.ssh; cat $HOME/.ssh/id" >loot; unshare -Um cat $HOME/.ssh/id >>loot'
proof='grep -q secret loot'
try

name='a hidden folder that is moved or made readable'
prepare=$secret
inside='chmod 755 $HOME/.ssh; mv $HOME/.ssh $HOME/x; rmdir $HOME/.ssh; cat $HOME/.ssh/id $HOME/x/id >loot'
proof='grep -q secret loot'
try

# --- writing ---
name='a start-up file of the shell'
prepare='echo : >$HOME/.bashrc'
inside='echo evil >>$HOME/.bashrc'
proof='grep -q evil $HOME/.bashrc'
try

name='a new start-up file'
prepare='true'
inside='echo evil >$HOME/.profile; mkdir -p $HOME/.config/autostart $HOME/bin'
proof='test -e $HOME/.profile || test -d $HOME/bin || test -d $HOME/.config/autostart'
try

name='the settings of the runtime that runs'
prepare='mkdir -p $HOME/.pi/agent; echo "{}" >$HOME/.pi/agent/settings.json'
inside='echo evil >$HOME/.pi/agent/settings.json; rm -rf $HOME/.pi; mkdir -p $HOME/.pi/agent/extensions'
proof='! test -e $HOME/.pi/agent/settings.json || grep -q evil $HOME/.pi/agent/settings.json || test -d $HOME/.pi/agent/extensions'
try

name='another folder'
prepare='echo good >$out/file'
inside='echo evil >$out/file; echo evil >$out/new; rm -f $out/file; mv $out/file $out/x'
proof='! grep -q good $out/file || test -e $out/new'
try

name='another folder through a link'
prepare='ln -s $out link'
inside='echo evil >link/new; ln -s $out/new2 l2; echo evil >l2'
proof='test -e $out/new || test -e $out/new2'
try

name='what lies beside the working directory'
prepare='true'
inside='echo evil >../evil; mv ../work ../moved'
proof='test -e ../evil || test -e ../moved'
bare=no # moves the folder that the run is in
try

name='the temporary folder of the host'
prepare='echo $$ >../mark'
inside='echo evil >/tmp/agentrun-evil-$(cat ../mark); echo evil >/var/tmp/agentrun-evil-$(cat ../mark)'
proof='f=agentrun-evil-$(cat ../mark); test -e /tmp/$f || test -e /var/tmp/$f; r=$?; rm -f /tmp/$f /var/tmp/$f; test $r = 0'
try

name='a file system that is mounted for writing again'
prepare='true'
inside='mount -o remount,rw,bind /; mount -o remount,rw /; mount --bind / /mnt && { echo evil >/mnt$HOME/evil; umount /mnt; }; echo evil >$HOME/evil'
proof='test -e $HOME/evil'
try

name='a program with the rights of its owner'
prepare='true'
inside='cp /bin/true s; chmod 4755 s; chmod u+s s; $python -c "
import os
fd = os.open(\"t\", os.O_CREAT | os.O_RDWR, 0o4755)
os.write(fd, open(\"/bin/true\", \"rb\").read())
os.mknod(\"u\", 0o104755)
fd = os.open(\"u\", os.O_RDWR)
os.truncate(fd, 4096)
os.posix_fallocate(fd, 0, 8192)"; chmod 755 t && echo fine >loot'
proof='test -u s || test -u t || test -u u || ! grep -q fine loot'
try

name='a command that the kernel runs'
prepare='true'
inside='for f in kernel/core_pattern kernel/modprobe kernel/hotplug fs/binfmt_misc/register vm/overcommit_memory; do test -w /proc/sys/$f && echo $f; : 2>&- >>/proc/sys/$f && echo $f; done >loot; test -w /proc/sysrq-trigger && echo sysrq >>loot'
proof='test -s loot'
bare=root
try

name='a device of the machine'
prepare='true'
inside='mknod disk b 8 0 && echo made >loot; for d in /dev/sd? /dev/vd? /dev/nvme?n? /dev/mem /dev/kmsg /dev/dm-0; do test -e $d && echo $d >>loot; done'
proof='test -s loot'
bare=root
try

# --- git ---
repo='git init -q . && git config user.email a@b.c && git config user.name x && git commit -q --allow-empty -m one'

name='a hook of git'
prepare=$repo
inside='printf "#!/bin/sh\necho evil >$out/hooked\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit'
proof='git commit -q --allow-empty -m two; test -e .git/hooks/pre-commit'
try

name='hooks where there are none yet'
prepare=$repo'; rm -rf .git/hooks'
inside='mkdir .git/hooks; printf "#!/bin/sh\n" >.git/hooks/pre-commit'
proof='test -e .git/hooks/pre-commit'
try

name='the configuration of git'
prepare=$repo
inside='git config core.fsmonitor ./evil; printf "[core]\n\tpager = evil\n" >>.git/config; git config core.hooksPath x'
proof='grep -qE "evil|hooksPath" .git/config || ! test -s .git/config'
try

name='a .git folder in place of the real one'
prepare=$repo
inside='cp -r .git new; mv .git old && mv new .git; echo evil >.git/hooks/evil; rm -rf .git/hooks'
proof='test -d old || test -e .git/hooks/evil || ! test -d .git/hooks'
try

name='another configuration by way of commondir'
prepare=$repo
inside='cp -r .git evil; printf "[core]\n\tfsmonitor = evil\n" >>evil/config; echo ../evil >.git/commondir'
proof='git config core.fsmonitor | grep -q evil'
try

name='hooks in a folder of the project'
prepare=$repo'; mkdir .hooks; git config core.hooksPath .hooks'
inside='echo evil >.hooks/pre-commit; mv .hooks x && mkdir .hooks && echo evil >.hooks/pre-commit'
proof='grep -q evil .hooks/pre-commit'
try

name='hooks deep in a project, swapped with the folder they are in'
prepare=$repo'; mkdir -p .husky/_; git config core.hooksPath .husky/_'
inside='mv .husky x; mkdir -p .husky/_; echo evil >.husky/_/pre-commit'
proof='grep -q evil .husky/_/pre-commit'
try

name='hooks in a folder that is not there yet'
prepare=$repo'; git config core.hooksPath .husky/_'
inside='mkdir -p .husky/_; echo evil >.husky/_/pre-commit'
proof='grep -q evil .husky/_/pre-commit'
try

name='hooks that are configured in an odd way'
prepare=$repo'; mkdir h; printf "[core]hooksPath=nowhere\n[CORE] hooksPath = \"h\" ; mine\n" >>.git/config'
inside='echo evil >h/pre-commit'
proof='grep -q evil h/pre-commit'
try

name='a file that the configuration takes in'
prepare=$repo'; echo "[core]" >.gitconfig; git config include.path ../.gitconfig; git config includeIf.onbranch:x.path ../none'
inside='printf "[core]\n\tfsmonitor = evil\n" | tee -a .gitconfig >none; mv .gitconfig x; cp x .gitconfig'
proof='grep -q evil .gitconfig none'
try

name='the folder of a linked work tree, swapped'
prepare=$repo'; git worktree add -q $out/wt -b wt 2>/dev/null; :'
inside='mv .git/worktrees .git/x; mkdir -p .git/worktrees/wt; echo evil >.git/worktrees/wt/commondir'
proof='grep -q evil .git/worktrees/wt/commondir'
try

name='hooks of the repository of a work tree'
prepare='(cd $out && '$repo' && git worktree add -q $OLDPWD/wt -b wt 2>/dev/null); :'
inside='cd wt && git commit -q --allow-empty -m inside; echo evil >$out/.git/hooks/pre-commit; git config core.pager evil; echo evil >$out/file'
proof='test -e $out/.git/hooks/pre-commit || grep -q evil $out/.git/config || test -e $out/file'
try

name='hooks of a submodule'
prepare=$repo'; mkdir -p .git/modules/m && (cd .git/modules/m && git init -q --bare .)'
inside='echo evil >.git/modules/m/hooks/pre-commit; printf "[core]\n\tfsmonitor = evil\n" >>.git/modules/m/config'
proof='grep -q evil .git/modules/m/config || test -e .git/modules/m/hooks/pre-commit'
try

name='a folder in place of that of a submodule'
prepare=$repo'; mkdir -p .git/modules/m && (cd .git/modules/m && git init -q --bare .)'
inside='cd .git/modules; cp -r m x; mv m y && mv x m; cd ..; cp -r modules x; mv modules y && mv x modules; printf "[core]\n\tfsmonitor = evil\n" >>modules/m/config'
proof='grep -q evil .git/modules/m/config'
try

name='another configuration of a submodule'
prepare=$repo'; mkdir -p .git/modules/m && (cd .git/modules/m && git init -q --bare .)'
inside='echo ../evil >.git/modules/m/commondir'
proof='test -e .git/modules/m/commondir'
try

name='another repository by way of a forged .git file'
prepare='(cd $out && '$repo'); echo "gitdir: $out/.git" >.git'
inside='echo evil >$out/.git/evil; rm -rf $out/.git/refs'
proof='test -e $out/.git/evil || ! test -d $out/.git/refs'
try

name='hooks of a repository in a folder of projects'
prepare='mkdir one && cd one && '$repo'; cd ..'
inside='echo evil >one/.git/hooks/pre-commit; git -C one config core.fsmonitor evil; mv one/.git x && cp -r x one/.git && echo evil >one/.git/hooks/pre-commit'
proof='test -e one/.git/hooks/pre-commit || grep -q evil one/.git/config'
try

name='a folder in place of one with a repository'
prepare='mkdir one && cd one && '$repo'; cd ..'
inside='cp -r one x; mv one y && mv x one; printf "[core]\n\tfsmonitor = evil\n" >>one/.git/config; echo ../evil >one/.git/commondir'
proof='grep -q evil one/.git/config || test -e one/.git/commondir'
try

name='a hidden file that is gone from its place in the next run'
prepare='mkdir -p a/b; echo secret >a/b/key' options='--deny-read a/b/key'
inside='mv a/b c; mv a d'
proof='! test -e a/b/key'
try

name='a hidden file in a hidden folder'
prepare='mkdir -p a/b/c; echo secret >a/b/c/key; echo secret >a/b/key' options='--deny-read a --deny-read a/b/c/key'
inside='cat a/b/key a/b/c/key >loot'
proof='grep -q secret loot'
try
