#include "config.h"

#include "base/err.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "options.h"

#include "check-main.h"
#include "chinese.h"

/* The program in Chinese, without an installed catalogue or locale. */

static struct strbuf dir = STRBUF_INIT;

static void speak_chinese(void)
{
	strbuf_reset(&dir);
	ck_assert_int_eq(io_temp_dir(&dir, NULL), 0);
	ck_assert(chinese_begin(dir.buf));
}

static void end(void)
{
	ck_assert_int_eq(io_remove_tree(dir.buf), 0);
}

START_TEST(errors_are_kept_in_both_languages)
{
	struct err err = ERR_INIT;

	speak_chinese();
	err_set(&err, AR_EIO, N_("cannot open '%s': %s"), "x", "why");
	ck_assert_str_eq(err.msg, "cannot open 'x': why");
	ck_assert_str_eq(err.local, "无法打开“x”：why");
	end();
}
END_TEST

START_TEST(help_is_translated_and_fits)
{
	static const enum command all[] = {COMMAND_HELP, COMMAND_RUN,
		COMMAND_VIEW, COMMAND_EXPORT, COMMAND_DOCTOR, COMMAND_DEMO};
	struct strbuf help = STRBUF_INIT;
	struct str line;
	size_t pos = 0;
	size_t i;

	speak_chinese();
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		options_help(&help, all[i]);
	ck_assert_ptr_nonnull(strstr(help.buf, "用法：agentrun"));
	ck_assert_ptr_nonnull(strstr(help.buf, "提示词"));
	while (utf8_next_line(strbuf_str(&help), &pos, &line))
		ck_assert_msg(utf8_cols(line.ptr, line.len) <= 80,
			"too wide: %.*s", (int)line.len, line.ptr);
	strbuf_release(&help);
	end();
}
END_TEST

START_TEST(the_c_locale_stays_english)
{
	struct err err = ERR_INIT;

	speak_chinese();
	setlocale(LC_ALL, "C");
	err_set(&err, AR_EIO, N_("cannot open '%s': %s"), "x", "why");
	ck_assert_str_eq(err.local, err.msg);
	end();
}
END_TEST

CHECK_MAIN("i18n", errors_are_kept_in_both_languages,
	help_is_translated_and_fits, the_c_locale_stays_english)
