// What a well-behaved program arranges with the system before it works: signals, standard streams, the log.
#pragma once

namespace trainsim {

// A closed standard stream must not be mistaken for the next file that is opened: writing to it fails instead.
void reserve_standard_streams();

// A closed pipe is an error of the write, not the end of the program; an interrupt leaves no half-written file behind.
void install_signal_handlers();

enum class Verbosity { quiet, normal, verbose };

// The log goes to standard error, as plain lines.
void set_up_log();
void set_verbosity(Verbosity verbosity);

// Whether standard output is a terminal that wants colour (NO_COLOR and TERM=dumb are respected).
bool wants_colour();

}  // namespace trainsim
