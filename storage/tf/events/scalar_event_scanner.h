// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::storage {

/// Tags by number, in the order in which they were first seen.
class ScalarTags
{
public:
    /// The plugin of a tag's values, if stated.
    enum class Plugin : std::uint8_t
    {
        Unknown,
        Scalars,
        Other,
    };

    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    ScalarTags() = default;
    ScalarTags(const ScalarTags&) = delete;
    ScalarTags& operator=(const ScalarTags&) = delete;
    ScalarTags(ScalarTags&&) noexcept = default;
    ScalarTags& operator=(ScalarTags&&) noexcept = default;

    /// kNone if the tag has not been seen yet.
    std::uint32_t find(std::string_view tag) const;
    std::uint32_t intern(std::string_view tag);
    std::size_t size() const { return m_rows.size(); }
    const std::string& name(std::uint32_t tag) const { return *m_rows[tag].name; }

    Plugin plugin(std::uint32_t tag) const { return m_rows[tag].plugin; }
    void setPlugin(std::uint32_t tag, Plugin plugin) { m_rows[tag].plugin = plugin; }

    /// The tag that followed `previous` the last time; kNone if none did.
    std::uint32_t follower(std::uint32_t previous) const
    {
        return previous == kNone ? kNone : m_rows[previous].follower;
    }
    /// find(), faster if tags recur in the same order.
    std::uint32_t findAfter(std::uint32_t previous, std::string_view tag);

private:
    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };
    struct Row
    {
        const std::string* name; ///< the key in m_byName, whose address is stable
        std::uint32_t follower = kNone;
        Plugin plugin = Plugin::Unknown;
    };

    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_byName;
    std::vector<Row> m_rows;
};

/// One logged scalar, or (kSessionStart) a writer's marker that a session began at this step.
struct ScalarPoint
{
    static constexpr std::uint32_t kSessionStart = ScalarTags::kNone;

    std::uint32_t tag = 0;
    float value = 0;
    std::int64_t step = 0;
    double wallTime = 0; ///< seconds since 1970

    bool operator==(const ScalarPoint&) const = default;
};

/// Reads only the scalars of an event file that may still grow: TF1's simple values, TF2's rank-0
/// tensors, and tensors of one number that other programs write. Decodes the common form directly
/// from the wire format, and leaves the rest to EventReader's decoder, with which it agrees. One
/// thread.
class ScalarEventScanner
{
public:
    /// `position`: where to resume, from an earlier position(); 0 is the beginning. `tags` grows,
    /// can be shared by the files of a folder, and must outlive the scanner.
    static Result<ScalarEventScanner> open(const std::string& path, ScalarTags& tags,
                                           std::uint64_t position = 0);
    ScalarEventScanner(ScalarEventScanner&&) noexcept;
    ScalarEventScanner& operator=(ScalarEventScanner&&) noexcept;
    ~ScalarEventScanner();

    /// Appends the scalars of whole records until `points` holds at least `limit`, or `maxBytes`
    /// more of the file have been consumed. False if the file currently has no further complete
    /// record (retry when it has grown). A damaged record is DataLoss with the offset, as in
    /// EventReader; points before it have been appended.
    Result<bool> read(std::vector<ScalarPoint>& points, std::size_t limit,
                      std::uint64_t maxBytes = std::numeric_limits<std::uint64_t>::max());

    /// Offset after the last record consumed by read().
    std::uint64_t position() const;
    bool hasPartialRecord() const;
    /// Bytes actually read from the file by this object.
    std::uint64_t bytesRead() const;

private:
    struct State;
    explicit ScalarEventScanner(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace cannery::storage
