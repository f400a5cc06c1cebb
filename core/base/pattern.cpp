// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern.h"

#include "core/base/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <new>

namespace cannery {

namespace {

constexpr ErrorKind kSyntax{"pattern.syntax", "'{}' is not a regular expression: {} at byte {}."};
constexpr ErrorKind kTooLong{
    "pattern.too_long", "The regular expression has {} bytes; at most {} are allowed. Shorten it."};
constexpr ErrorKind kTooDeep{
    "pattern.too_deep",
    "'{}' nests brackets more than {} levels deep. Write a simpler expression."};
constexpr ErrorKind kTooCostly{
    "pattern.too_costly",
    "'{}' takes too many attempts to compare with '{}': a repetition within a repetition, such as "
    "(.*)*, tries every way to divide the text. Write a simpler expression."};

/// Maximum depth of backtracking, and KiB of memory for it.
constexpr std::uint32_t kMostDepth = 1'000'000;
constexpr std::uint32_t kMostKilobytes = 64 * 1024;
/// How much of an expression or a name a message shows.
constexpr std::size_t kShown = 60;

std::string shortened(std::string_view text)
{
    if (text.size() <= kShown) {
        // Characters are not cut apart.
        return std::string(text);
    }
    return std::string(wholeCharacters(text, kShown)) + "…";
}

std::string sentenceOf(int code)
{
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return std::string(reinterpret_cast<const char*>(text.data()));
}

template <auto release>
struct Release
{
    template <typename Object>
    void operator()(Object* object) const
    {
        release(object);
    }
};

template <typename Object, auto release>
using Owned = std::unique_ptr<Object, Release<release>>;

using CompileContext = Owned<pcre2_compile_context, pcre2_compile_context_free>;
using MatchContext = Owned<pcre2_match_context, pcre2_match_context_free>;
using MatchData = Owned<pcre2_match_data, pcre2_match_data_free>;

/// Out of memory is an exception everywhere in the engine.
template <typename Pointer>
Pointer allocated(Pointer pointer)
{
    if (pointer == nullptr) {
        throw std::bad_alloc();
    }
    return pointer;
}

} // namespace

struct Pattern::Compiled
{
    Owned<pcre2_code, pcre2_code_free> code;
};

Pattern::Pattern(std::string_view text, std::shared_ptr<const Compiled> compiled)
    : m_text(text), m_compiled(std::move(compiled))
{}

Result<Pattern> Pattern::compile(std::string_view text)
{
    if (text.size() > kMostBytes) {
        // Longer expressions come from nobody who writes by hand.
        return fail(ErrorCode::InvalidArgument, kTooLong, text.size(), kMostBytes);
    }
    const CompileContext context(allocated(pcre2_compile_context_create(nullptr)));
    // The compiler is recursive: its depth is bounded by that of the brackets.
    pcre2_set_parens_nest_limit(context.get(), kMostNesting);
    int code = 0;
    PCRE2_SIZE offset = 0;
    // Python's strings are Unicode, and so are \w and \d in them.
    const std::uint32_t options =
        PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    auto compiled = std::make_shared<Compiled>();
    compiled->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                       options, &code, &offset, context.get()));
    if (compiled->code != nullptr) {
        return Pattern(text, std::move(compiled));
    }
    if (code == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP) {
        return fail(ErrorCode::InvalidArgument, kTooDeep, shortened(text), kMostNesting);
    }
    // The only failure that is not the expression's fault.
    if (code == PCRE2_ERROR_HEAP_FAILED) {
        throw std::bad_alloc();
    }
    return fail(ErrorCode::InvalidArgument, kSyntax, shortened(text), sentenceOf(code), offset);
}

Result<bool> Pattern::match(std::string_view subject, unsigned options) const
{
    const MatchContext context(allocated(pcre2_match_context_create(nullptr)));
    // An expression from elsewhere must not keep the engine busy for hours.
    pcre2_set_match_limit(context.get(), kMostSteps);
    pcre2_set_depth_limit(context.get(), kMostDepth);
    pcre2_set_heap_limit(context.get(), kMostKilobytes);
    const MatchData data(allocated(pcre2_match_data_create(1, nullptr)));
    const int found =
        pcre2_match(m_compiled->code.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()),
                    subject.size(), 0, options, data.get(), context.get());
    if (found >= 0) {
        return true;
    }
    if (found == PCRE2_ERROR_NOMATCH) {
        return false;
    }
    if (found == PCRE2_ERROR_NOMEMORY) {
        throw std::bad_alloc();
    }
    // Every limit means the same for whoever wrote the expression.
    return fail(ErrorCode::ResourceExhausted, kTooCostly, shortened(m_text), shortened(subject));
}

Result<bool> Pattern::matchesStart(std::string_view subject) const
{
    return match(subject, PCRE2_ANCHORED);
}

Result<bool> Pattern::isFoundIn(std::string_view subject) const
{
    return match(subject, 0);
}

} // namespace cannery
