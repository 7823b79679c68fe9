#include "config.h"

#include "ui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* term.h defines the names of all capabilities as macros. */
#undef lines
#undef columns
#undef tab

#include "base/crash.h"
#include "base/i18n.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "ui/keys.h"
#include "ui/plain.h"
#include "ui/tty.h"

#define MOUSE_ON "\033[?1006;1000h"
#define MOUSE_OFF "\033[?1006;1000l"
#define COPY_MAX 74994 /* what terminals take (xterm's limit) */

static struct {
	SCREEN *screen;
	FILE *draw;       /* where curses draws: memory */
	struct outq *out; /* what brings it to the terminal */
	FILE *none;       /* where curses would look for keys */
	int in_fd;        /* where they come from; -1: no keys */
	bool own_in;
	struct input input;
	bool sync;
	bool has_mouse;
	bool mouse;
	bool utf8;
	struct theme theme;
	bool shown;           /* the screen and the modes are ours */
	uint64_t given_back;  /* the terminal, when so much of out is written */
	struct termios shell; /* its modes before */
	bool has_shell;
	char restore[CRASH_MAX];
	size_t restore_len;
} term;

#define CANCELLED ((char *)-1)

static bool has_string(const char *s)
{
	return s && s != CANCELLED;
}

/* Moves what curses has drawn to the end of SB. */
static void take_drawn(struct strbuf *sb)
{
	int fd = fileno(term.draw);
	off_t len = lseek(fd, 0, SEEK_CUR);
	ssize_t n;

	if (len <= 0)
		return;
	n = pread(fd, strbuf_reserve(sb, (size_t)len), (size_t)len, 0);
	if (n > 0)
		strbuf_setlen(sb, sb->len + (size_t)n);
	(void)lseek(fd, 0, SEEK_SET);
}

/* Sends SB, and frees it. */
static void send(struct strbuf *sb)
{
	if (sb->len)
		(void)outq_write(term.out, sb->buf, sb->len);
	strbuf_release(sb);
}

/* An escape sequence of ours, behind what curses has drawn. */
static void control(const char *s)
{
	struct strbuf sb = STRBUF_INIT;

	take_drawn(&sb);
	strbuf_addstr(&sb, s);
	send(&sb);
}

static void take_locale(void)
{
	const char *set[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	bool any = false;
	size_t i;

	for (i = 0; i < 3; i++) {
		const char *value = getenv(set[i]);

		any = any || (value && *value);
	}
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 && !any)
		setlocale(LC_CTYPE, "C.UTF-8");
	term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Keys come from stdin when it is a terminal, else from the one of stdout:
 * stdin may carry the prompt or a stream. */
static void open_input(void)
{
	const char *name;

	term.in_fd = STDIN_FILENO;
	term.own_in = false;
	if (isatty(STDIN_FILENO))
		return;
	name = ttyname(STDOUT_FILENO);
	term.in_fd = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	term.own_in = true;
}

/* Entries that stock systems do not have stand in other packages; these
 * terminals understand xterm's. */
static const char *fallback(const char *name)
{
	static const char *const like_xterm[] = {
		"foot", "alacritty", "wezterm", "ghostty", "rio", "contour"};
	size_t i;

	if (strncmp(name, "xterm-", 6) == 0)
		return "xterm-256color";
	for (i = 0; i < sizeof(like_xterm) / sizeof(like_xterm[0]); i++)
		if (strcmp(name, like_xterm[i]) == 0)
			return "xterm-256color";
	return NULL;
}

static int add_restore(int c)
{
	if (term.restore_len < sizeof(term.restore))
		term.restore[term.restore_len++] = (char)c;
	return c;
}

static void add_restore_str(const char *s)
{
	while (s && *s)
		add_restore(*s++);
}

/* What the crash handler writes. */
static void prepare_restore(void)
{
	static const char *const caps[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
	size_t i;

	term.restore_len = 0;
	if (term.sync)
		add_restore_str("\033[?2026l");
	add_restore_str(MOUSE_OFF "\033[?2004l");
	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		const char *s = tigetstr(caps[i]);

		if (has_string(s))
			tputs(s, 1, add_restore);
	}
}

/* What this terminal's description says of keys. */
static void define_keys(void)
{
	static const struct {
		const char *name;
		uint32_t key;
	} keys[] = {
		{"kcuu1", UIKEY_UP},
		{"kcud1", UIKEY_DOWN},
		{"kcuf1", UIKEY_RIGHT},
		{"kcub1", UIKEY_LEFT},
		{"kpp", UIKEY_PGUP},
		{"knp", UIKEY_PGDN},
		{"khome", UIKEY_HOME},
		{"kend", UIKEY_END},
		{"kcbt", UIKEY_BTAB},
		{"kf1", UIKEY_F1},
	};
	size_t i;

	input_init(&term.input, term.utf8);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *seq = tigetstr(keys[i].name);

		if (has_string(seq))
			input_define(&term.input, seq, keys[i].key);
	}
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	scrollok(stdscr, FALSE);
	typeahead(-1);
	curs_set(0);
}

static bool wants_sync(const char *name)
{
	const char *env = getenv("AGENTRUN_SYNC");

	if (env && strcmp(env, "0") == 0)
		return false;
	return strncmp(name, "linux", 5) != 0 && strncmp(name, "vt", 2) != 0;
}

static void close_files(void)
{
	if (term.own_in && term.in_fd >= 0)
		close(term.in_fd);
	term.in_fd = -1;
	input_release(&term.input);
	if (term.none)
		fclose(term.none);
	term.none = NULL;
	if (term.draw)
		fclose(term.draw);
	term.draw = NULL;
}

/* newterm, for NO_COLOR with a description that has no SGR sequences: not even
 * the resets that curses sends by itself leave the program. */
static SCREEN *open_screen(const char *name, bool plain)
{
	struct strbuf entry = STRBUF_INIT;
	const char *before = getenv("TERMINFO");
	struct strbuf kept = STRBUF_INIT;
	SCREEN *s;

	plain = plain && plain_terminfo(name, &entry) == 0;
	if (plain) {
		strbuf_addstr(&kept, before ? before : "");
		setenv("TERMINFO", entry.buf, 1);
	}
	s = newterm(name, term.draw, term.none);
	if (plain && before)
		setenv("TERMINFO", kept.buf, 1);
	else if (plain)
		unsetenv("TERMINFO");
	strbuf_release(&entry);
	strbuf_release(&kept);
	return s;
}

void term_theme(const struct theme *t)
{
	term.theme = *t;
	/* Characters without a colour of ours keep the terminal's own. */
	if (t->colors && start_color() == OK)
		use_default_colors();
}

static void take_theme(enum theme_choice choice)
{
	struct theme t;

	theme_init(&t, choice, tigetnum("colors"), getenv("COLORFGBG"));
	t.no_italic = !has_string(tigetstr("sitm"));
	term_theme(&t);
}

/* Starts curses on NAME, or on what NAME is like. */
static SCREEN *start_curses(const char *name, bool plain)
{
	const char *other = fallback(name);
	SCREEN *s;

	use_env(FALSE);
	use_tioctl(TRUE);
	s = open_screen(name, plain);
	if (!s && other)
		s = open_screen(other, plain);
	return s;
}

/* Curses on NAME, which shall be able to do what is needed. Nothing of it has
 * reached the terminal yet. */
static int open_curses(const char *name, bool plain, struct err *err)
{
	term.draw = tty_memory();
	term.none = fopen("/dev/null", "re");
	if (!term.draw || !term.none)
		return err_set(err, AR_EIO, N_("cannot create '%s': %s"),
			"screen", err_str(errno));
	term.screen = start_curses(name, plain);
	if (!term.screen)
		return err_set(err, AR_EIO,
			N_("the terminal '%s' (TERM) is not known here"), name);
	if (has_string(cursor_address) && has_string(clear_screen))
		return 0;
	endwin();
	delscreen(term.screen);
	term.screen = NULL;
	return err_set(err, AR_EIO,
		N_("the terminal '%s' (TERM) cannot move its cursor"), name);
}

/* The modes of the terminal: curses, which draws into memory, cannot set
 * them. */
static void take_modes(void)
{
	if (term.has_shell)
		tty_full_screen(STDOUT_FILENO, &term.shell);
	term.shown = true;
	control("\033[?2004h");
	if (term.mouse)
		control(MOUSE_ON);
}

int term_open(struct outq *out, enum theme_choice choice, struct err *err)
{
	bool plain = theme_is_plain(choice, getenv("NO_COLOR"));
	const char *name = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return err_set(err, AR_EIO, N_("stdout is no terminal"));
	if (!name || !*name || strcmp(name, "dumb") == 0)
		return err_set(err, AR_EIO,
			N_("TERM is '%s': this terminal has no full screen"),
			name ? name : "");
	take_locale();
	open_input();
	if (open_curses(name, plain, err) < 0) {
		close_files();
		return -1;
	}
	term.out = out;
	term.has_shell = tcgetattr(STDOUT_FILENO, &term.shell) == 0;
	take_theme(plain ? THEME_NEVER : choice);
	term.sync = wants_sync(name);
	term.has_mouse = has_string(tigetstr("kmous"));
	term.mouse = term.has_mouse;
	prepare_restore();
	define_keys();
	set_modes();
	crash_terminal(outq_fd(out), term.restore, term.restore_len,
		term.has_shell ? &term.shell : NULL);
	take_modes();
	return 0;
}

void term_leave(void)
{
	struct strbuf sb = STRBUF_INIT;

	if (!term.shown)
		return;
	take_drawn(&sb);
	strbuf_addstr(&sb, MOUSE_OFF "\033[?2004l");
	endwin();
	take_drawn(&sb);
	send(&sb);
	term.shown = false;
	term.given_back = term.out->written + outq_queued(term.out);
	if (term.has_shell)
		tty_restore(STDOUT_FILENO, &term.shell);
}

bool term_take(void)
{
	if (!tty_is_ours(STDOUT_FILENO))
		return false;
	term_leave();
	take_modes();
	keypad(stdscr, TRUE); /* curses did it with its modes */
	clearok(curscr, TRUE);
	return true;
}

void term_force_back(void)
{
	if (term.out->written >= term.given_back)
		return;
	term.given_back = 0;
	outq_drop(term.out);
	tty_flush(outq_fd(term.out));
	(void)outq_write(term.out, term.restore, term.restore_len);
	outq_drop(term.out);
}

void term_close(void)
{
	if (!term.screen)
		return;
	if (term.in_fd >= 0 && term.shown)
		tty_forget_keys(term.in_fd);
	term_leave();
	crash_terminal_off();
	delscreen(term.screen);
	term.screen = NULL;
	close_files();
}

int term_fd(void)
{
	return term.in_fd;
}

bool term_is_utf8(void)
{
	return term.utf8;
}

bool term_is_gone(void)
{
	struct termios t;

	return term.in_fd >= 0 && tcgetattr(term.in_fd, &t) != 0 &&
	       errno == EIO;
}

void term_read(void)
{
	char buf[4096];
	ssize_t n = read(term.in_fd, buf, sizeof(buf));

	if (n > 0)
		input_add(&term.input, buf, (size_t)n);
}

bool term_key(bool late, struct input_key *key)
{
	return input_next(&term.input, late, key);
}

int term_key_wait(void)
{
	return input_wait(&term.input);
}

void term_size(int *rows, int *cols)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row &&
		ws.ws_col && (ws.ws_row != LINES || ws.ws_col != COLS)) {
		resize_term(ws.ws_row, ws.ws_col);
		clearok(curscr, TRUE);
	}
	*rows = LINES;
	*cols = COLS;
}

/* A character that the charset does not have becomes '?': curses would print
 * blanks. */
static wchar_t shown(uint32_t ch)
{
	char buf[16];

	if (term.utf8 || ch < 0x80)
		return (wchar_t)ch;
	return wctomb(buf, (wchar_t)ch) > 0 ? (wchar_t)ch : L'?';
}

static attr_t attributes(uint32_t attrs)
{
	attr_t a = A_NORMAL;

	a |= attrs & STYLE_BOLD ? A_BOLD : 0;
	a |= attrs & STYLE_DIM ? A_DIM : 0;
	a |= attrs & STYLE_ITALIC ? A_ITALIC : 0;
	a |= attrs & STYLE_UNDERLINE ? A_UNDERLINE : 0;
	a |= attrs & STYLE_REVERSE ? A_REVERSE : 0;
	return a;
}

/* Curses keeps the pairs, and makes those it has not had for long anew when
 * there are too many. */
static int colour_pair(const struct look *look)
{
	int pair = 0;

	if (look->fg >= 0 || look->bg >= 0)
		pair = alloc_pair(look->fg, look->bg);
	return pair > 0 ? pair : 0;
}

static void blit_cell(const struct cell *c, int y, int x)
{
	wchar_t wch[2 + GRID_MARKS] = {shown(c->ch)};
	struct look look = theme_look(&term.theme, c->style);
	attr_t attr = attributes(look.attrs);
	int pair = colour_pair(&look);
	cchar_t cc;
	int n = 1;
	int i;

	if (c->style & STYLE_LINE) {
		cc = *WACS_HLINE;
		cc.attr = attr | (cc.attr & A_ALTCHARSET);
		mvadd_wch(y, x, &cc);
		return;
	}
	for (i = 0; i < GRID_MARKS && c->marks[i]; i++)
		wch[n++] = (wchar_t)c->marks[i];
	wch[n] = L'\0';
	if (setcchar(&cc, wch, attr, (short)pair, &pair) == OK)
		mvadd_wch(y, x, &cc);
}

void term_blit(const struct grid *g)
{
	int y;
	int x;

	erase();
	for (y = 0; y < g->rows && y < LINES; y++) {
		for (x = 0; x < g->cols && x < COLS; x++) {
			const struct cell *c =
				&g->cells[(size_t)y * (size_t)g->cols +
					  (size_t)x];

			if (c->width && (c->ch != ' ' || c->style))
				blit_cell(c, y, x);
		}
	}
	wnoutrefresh(stdscr);
	doupdate();
}

void term_show(const struct grid *g)
{
	struct strbuf sb = STRBUF_INIT;
	size_t begin;

	if (term.sync)
		strbuf_addstr(&sb, "\033[?2026h");
	begin = sb.len;
	term_blit(g);
	take_drawn(&sb);
	if (sb.len == begin)
		strbuf_reset(&sb);
	else if (term.sync)
		strbuf_addstr(&sb, "\033[?2026l");
	send(&sb);
}

void term_repaint(void)
{
	clearok(curscr, TRUE);
}

void term_mouse(bool on)
{
	term.mouse = on && term.has_mouse;
	control(term.mouse ? MOUSE_ON : MOUSE_OFF);
}

bool term_copy(struct str text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *s = (const unsigned char *)text.ptr;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	if (text.len > COPY_MAX)
		return false;
	strbuf_addstr(&sb, "\033]52;c;");
	for (i = 0; i < text.len; i += 3) {
		size_t left = text.len - i;
		uint32_t v = (uint32_t)s[i] << 16;

		v |= left > 1 ? (uint32_t)s[i + 1] << 8 : 0;
		v |= left > 2 ? s[i + 2] : 0;
		strbuf_addch(&sb, digits[v >> 18]);
		strbuf_addch(&sb, digits[v >> 12 & 63]);
		strbuf_addch(&sb, left > 1 ? digits[v >> 6 & 63] : '=');
		strbuf_addch(&sb, left > 2 ? digits[v & 63] : '=');
	}
	strbuf_addstr(&sb, "\007");
	send(&sb);
	return true;
}
