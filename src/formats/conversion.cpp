#include "formats/conversion.h"

#include "formats/codes.h"

namespace treaty::formats {

void Conversion::rename(base::Span span, std::string message) {
    diagnostics_.report(codes::renamed, span, std::move(message));
}

void Conversion::lose(base::Span span, std::string message) {
    if (policy_ == LossPolicy::allow) {
        diagnostics_.report(codes::lost, span, std::move(message));
        return;
    }
    ok_ = false;
    diagnostics_.report(codes::would_lose, span, std::move(message))
        .help("use --allow-loss to write the file without it");
}

base::Diagnostic& Conversion::refuse(base::Span span, std::string message) {
    ok_ = false;
    return diagnostics_.report(codes::cannot_carry, span, std::move(message));
}

}  // namespace treaty::formats
