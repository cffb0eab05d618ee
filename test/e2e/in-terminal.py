"""Runs a command in a terminal of its own: in-terminal.py COLUMNS ROWS COMMAND...

What the terminal shows goes to stdout. A line on stdin, `COLUMNS ROWS`, gives it another size; `^C` types that.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))


columns, rows, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    # The size must be there before the program looks.
    resize(0, columns, rows)
    os.execvp(command[0], command)

while True:
    ready, _, _ = select.select([terminal, 0], [], [])
    if 0 in ready:
        told = os.read(0, 100).decode().strip()
        if told == "^C":
            os.write(terminal, b"\x03")
        elif told:
            resize(terminal, *told.split())
        else:
            os.close(terminal)  # Whoever started this has gone; the command is told so by the terminal.
            break
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:  # Linux's way to say that nobody has the terminal open any more.
            break
        if not shown:
            break
        os.write(1, shown)

sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
