// How a writer treats what its notation cannot express: report it, and refuse unless losing it is allowed.
//
// Three cases. A rename keeps the meaning and is only a warning. A loss leaves something out but what
// remains still means something: an error, or a warning where the user allows losses. What would turn into
// something else is refused in any case. Names of states, source positions and comments are not mentioned.
// Each loss is reported at its position in the source; a writer goes on to find the next one.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace treaty::formats {

enum class LossPolicy : std::uint8_t { refuse, allow };

class Conversion {
public:
    // notation is the extension without its dot, as messages call it: "gc".
    Conversion(std::string_view notation, base::Diagnostics& diagnostics, LossPolicy policy)
        : notation_(notation), diagnostics_(diagnostics), policy_(policy) {}

    void rename(base::Span span, std::string message);
    void lose(base::Span span, std::string message);
    base::Diagnostic& refuse(base::Span span, std::string message);

    bool ok() const { return ok_; }  // nothing was refused so far
    std::string_view notation() const { return notation_; }

private:
    std::string notation_;
    base::Diagnostics& diagnostics_;
    LossPolicy policy_;
    bool ok_ = true;
};

}  // namespace treaty::formats
