// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/event_reading.h"

#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/scalar_event_scanner.h"
#include "storage/tf/events/summary_values.h"
#include "tests/fuzz/fuzz_support.h"

#include <bit>
#include <cmath>

namespace cannery::tests {

using namespace cannery::storage;

namespace {

struct Scanned
{
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    std::uint64_t position = 0;
    bool isDamaged = false;
};

void scan(const std::string& path, std::size_t limit, Scanned& out)
{
    auto scanner = ScalarEventScanner::open(path, out.tags);
    FUZZ_REQUIRE(scanner.has_value());
    while (true) {
        const auto more = scanner->read(out.points, out.points.size() + limit);
        out.position = scanner->position();
        out.isDamaged = !more;
        if (!more || !*more) {
            return;
        }
    }
}

bool isSame(const ScalarPoint& a, const ScalarPoint& b)
{
    return a.tag == b.tag && a.step == b.step &&
           std::bit_cast<std::uint32_t>(a.value) == std::bit_cast<std::uint32_t>(b.value) &&
           std::bit_cast<std::uint64_t>(a.wallTime) == std::bit_cast<std::uint64_t>(b.wallTime);
}

template <typename T>
std::optional<float> onlyNumber(const HostTensor& tensor)
{
    const bool isOne = tensor.dtype == dtypeOf<T>() && tensor.bytes.size() == sizeof(T);
    return isOne ? std::optional(static_cast<float>(tensor.values<T>().front())) : std::nullopt;
}

/// The scanner's expected result for a value.
std::optional<float> scalarOf(const EventValue& value)
{
    if (const auto* number = std::get_if<float>(&value.value)) {
        return *number;
    }
    const auto* tensor = std::get_if<HostTensor>(&value.value);
    if (tensor == nullptr || value.plugin != "scalars") {
        return std::nullopt;
    }
    const auto real = onlyNumber<double>(*tensor);
    const auto integer = onlyNumber<std::int64_t>(*tensor);
    return real ? real : integer ? integer : onlyNumber<std::int32_t>(*tensor);
}

/// What the window draws of a value is finite and in order.
void requireSane(const EventValue& value)
{
    if (const auto* histogram = std::get_if<EventHistogram>(&value.value)) {
        const HistogramBins bins = binsOf(*histogram);
        FUZZ_REQUIRE(bins.edges.size() == (bins.counts.empty() ? 0 : bins.counts.size() + 1));
        double last = bins.min;
        for (const double bound : boundsOf(bins)) {
            FUZZ_REQUIRE(bound >= last && bound <= bins.max);
            last = bound;
        }
    }
    if (const auto curve = prCurveOf(value)) {
        FUZZ_REQUIRE(curve->precision.size() == curve->recall.size());
    }
    static_cast<void>(markdownOf(value));
    static_cast<void>(imagesOf(value));
    static_cast<void>(hyperparametersOf(value));
}

struct NamedPoint
{
    std::string tag; ///< empty at the start of a session
    ScalarPoint point;
};

} // namespace

void readEventsBothWays(const std::string& path)
{
    auto reader = EventReader::open(path);
    FUZZ_REQUIRE(reader.has_value());
    std::vector<NamedPoint> expected;
    bool isDamaged = false;
    while (true) {
        const auto event = reader->next();
        isDamaged = !event;
        if (!event || !*event) {
            break;
        }
        const Event& met = **event;
        constexpr int kStart = 1;
        if (met.kind == Event::Kind::SessionLog && met.sessionStatus == kStart) {
            expected.push_back({"", {ScalarPoint::kSessionStart, 0, met.step, met.wallTime}});
        }
        for (const EventValue& value : met.values) {
            requireSane(value);
            if (const auto number = scalarOf(value)) {
                expected.push_back({value.tag, {0, *number, met.step, met.wallTime}});
            }
        }
    }
    Scanned whole;
    Scanned pieces;
    scan(path, 1U << 20U, whole);
    scan(path, 1, pieces);
    // The scanner does not inspect histograms and images, so it may continue where the reader finds
    // no message; it stops nowhere else.
    FUZZ_REQUIRE(isDamaged ? whole.position >= reader->position()
                           : !whole.isDamaged && whole.position == reader->position());
    FUZZ_REQUIRE(pieces.isDamaged == whole.isDamaged && pieces.position == whole.position);
    FUZZ_REQUIRE(whole.points.size() >= expected.size());
    FUZZ_REQUIRE(isDamaged || whole.points.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ScalarPoint& point = expected[i].point;
        if (point.tag != ScalarPoint::kSessionStart) {
            point.tag = whole.tags.find(expected[i].tag);
        }
        FUZZ_REQUIRE(isSame(whole.points[i], point));
    }
    FUZZ_REQUIRE(pieces.points.size() == whole.points.size());
    for (std::size_t i = 0; i < whole.points.size(); ++i) {
        FUZZ_REQUIRE(isSame(whole.points[i], pieces.points[i]));
    }
}

} // namespace cannery::tests
