// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Terminals, of which libfyaml has a function that the module does not use.
#ifndef JBW_PLAYGROUND_ABSENT_TERMIOS_H
#define JBW_PLAYGROUND_ABSENT_TERMIOS_H

enum { TCSANOW };

struct termios {
    unsigned c_iflag, c_oflag, c_cflag, c_lflag;
    unsigned char c_cc[32];
};

static inline int tcgetattr(int file, struct termios *out)
{
    (void)file;
    (void)out;
    return -1;
}

static inline int tcsetattr(int file, int when, const struct termios *settings)
{
    (void)file;
    (void)when;
    (void)settings;
    return -1;
}

static inline void cfmakeraw(struct termios *settings)
{
    (void)settings;
}

#endif
