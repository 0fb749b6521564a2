#include "spellings.h"

#include "formats/load.h"
#include "print.h"
#include "reading.h"
#include "rewrites.h"

namespace treaty::verdicts {

std::optional<Spelling> rewritten(const File& file, Random& random) {
    Spelling result;
    File changed = file;
    unsigned wanted = 1 + random.below(3);
    for (unsigned tries = 0, done = 0; tries < 12 && done < wanted; ++tries) {
        const Rewrite& rewrite = rewrites()[random.below(static_cast<unsigned>(rewrites().size()))];
        auto next = rewrite.apply(changed, random);
        if (!next || !read(print(*next))) continue;
        changed = std::move(*next);
        result.what += (done++ == 0 ? "" : ", then ") + std::string(rewrite.name);
        result.same_order = result.same_order && rewrite.same_order;
        result.same_names = result.same_names && rewrite.same_names;
    }
    if (result.what.empty()) return std::nullopt;
    result.text = print(changed);
    result.specification = std::move(*read(result.text));
    return result;
}

std::optional<Spelling> carried_over(const std::string& text, const std::string& extension) {
    base::Diagnostics diagnostics;
    formats::Loaded loaded;
    loaded.model = std::move(*read(text));
    auto written = formats::write(loaded, extension, diagnostics, formats::LossPolicy::refuse);
    if (!written.text) return std::nullopt;
    Spelling result;
    result.what = "as ." + extension;
    result.text = *written.text;
    std::string refused;
    auto again = read(result.text, extension, &refused);
    if (!again) {
        result.what += ", which is not read again: " + refused;
        return result;
    }
    result.specification = std::move(*again);
    return result;
}

}  // namespace treaty::verdicts
