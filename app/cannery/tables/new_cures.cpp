// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/new_cures.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace cannery::app {

Error withNewOptions(Error error)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOptions{
        {{"set bad_rows to SKIP", "give --skip-bad-rows"},
         {"set header to false", "give --header no"},
         {"set field_delim to", "give with --delimiter"},
         {"which skip_rows leaves out", "which --skip-rows leaves out"},
         {"set its encoding to the one", "give with --encoding the one"},
         {"set use_quote_delim to false", "set use_quote_delim to false in an experiment"}}};
    const auto rewrite = [&](std::string& text) {
        for (const auto& [field, option] : kOptions) {
            if (const std::size_t at = text.find(field); at != std::string::npos) {
                text.replace(at, field.size(), option);
            }
        }
    };
    rewrite(error.sentence);
    std::ranges::for_each(error.notes, rewrite);
    return error;
}

} // namespace cannery::app
