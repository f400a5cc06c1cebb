// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_processes.h"

#include "core/plan/device/device_member.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace cannery::plan {

namespace {

/// So long it may take until a loss is known everywhere.
constexpr std::chrono::seconds kNewsOfLoss(3);
constexpr std::chrono::milliseconds kLook(20);

/// A batch in numbers, equally many for all batches of a graph. The exchange gathers doubles, which
/// hold such counts exactly.
std::vector<double> numbersOf(const BatchShape& shape)
{
    std::vector<double> numbers;
    const auto add = [&](std::int64_t number) { numbers.push_back(static_cast<double>(number)); };
    add(shape.rows);
    add(shape.longest);
    add(shape.labels);
    add(shape.steps);
    for (const BatchShape::Ids& ids : shape.ids) {
        add(ids.capacity);
        add(ids.weighted ? 1 : 0);
    }
    for (const std::int64_t steps : shape.sequences) {
        add(steps);
    }
    return numbers;
}

/// `like`: another batch of the graph.
BatchShape shapeIn(std::span<const double> numbers, const BatchShape& like)
{
    BatchShape shape = like;
    auto next = numbers.begin();
    const auto take = [&] { return static_cast<std::int64_t>(*next++); };
    shape.rows = take();
    shape.longest = take();
    shape.labels = take();
    shape.steps = take();
    for (BatchShape::Ids& ids : shape.ids) {
        ids.capacity = take();
        ids.weighted = take() != 0;
    }
    for (std::int64_t& steps : shape.sequences) {
        steps = take();
    }
    return shape;
}

} // namespace

DeviceProcesses::DeviceProcesses(GradientExchange& exchange, const Sharding& sharding,
                                 std::span<kernels::Accelerator* const> own)
    : m_exchange(exchange), m_processes(static_cast<std::size_t>(sharding.total / sharding.count)),
      m_rank(static_cast<std::size_t>(sharding.first / sharding.count)),
      m_first{.rank = sharding.first, .size = sharding.total}, m_own(own.begin(), own.end())
{
    m_exchange.whenLost([this] {
        m_isLost = true;
        if (m_isInTurn) {
            giveUp();
        }
    });
}

DeviceProcesses::~DeviceProcesses()
{
    m_exchange.whenLost({});
}

std::span<const double> DeviceProcesses::gatheredFrom(std::size_t process) const
{
    const std::size_t share = m_gathered.size() / m_processes;
    return std::span(m_gathered).subspan(process * share, share);
}

Result<void> DeviceProcesses::gather(std::span<const double> own)
{
    m_gathered.assign(m_processes * own.size(), 0);
    std::ranges::copy(own, m_gathered.begin() + static_cast<std::ptrdiff_t>(m_rank * own.size()));
    return m_exchange.gather(m_gathered);
}

Result<void> DeviceProcesses::meet(const std::function<Result<kernels::GroupId>()>& makeId)
{
    m_isLost = false; // whoever was lost before is back
    // Every process makes an id; that of the first one counts.
    CANNERY_TRY_ASSIGN(kernels::GroupId id, makeId());
    std::vector<double> bytes;
    for (const std::byte byte : id) {
        bytes.push_back(std::to_integer<int>(byte));
    }
    CANNERY_TRY(gather(bytes));
    std::ranges::transform(gatheredFrom(0), id.begin(),
                           [](double byte) { return static_cast<std::byte>(byte); });
    const Result<void> formed = formGroup(id, m_own, m_first);
    if (!formed && isLostSoon()) {
        return fail(ErrorCode::Unavailable, kProcessLost);
    }
    return formed;
}

/// Who waits for a GPU may see earlier than the exchange that its process is gone.
bool DeviceProcesses::isLostSoon() const
{
    const auto end = std::chrono::steady_clock::now() + kNewsOfLoss;
    while (!m_isLost && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kLook);
    }
    return m_isLost;
}

Result<bool> DeviceProcesses::isSoInAll(bool own)
{
    CANNERY_TRY(gather(std::array{own ? 1.0 : 0.0}));
    return std::ranges::find(m_gathered, 0.0) == m_gathered.end();
}

Result<StepAgreement> DeviceProcesses::agree(const StepAgreement& own)
{
    const std::array values{static_cast<double>(own.steps), static_cast<double>(own.votes),
                            own.measures ? 1.0 : 0.0, own.traces ? 1.0 : 0.0};
    CANNERY_TRY(gather(values));
    StepAgreement agreed{.steps = own.steps};
    for (std::size_t at = 0; at < m_gathered.size(); at += values.size()) {
        agreed.steps = std::min(agreed.steps, static_cast<std::int64_t>(m_gathered[at]));
        agreed.votes += static_cast<float>(m_gathered[at + 1]);
        agreed.measures = agreed.measures || m_gathered[at + 2] != 0;
        agreed.traces = agreed.traces || m_gathered[at + 3] != 0;
    }
    if (agreed.votes > 0) {
        agreed.steps = 0;
        return agreed;
    }
    m_isInTurn = true;
    if (m_isLost) { // too early for the group to be given up
        m_isInTurn = false;
        return fail(ErrorCode::Unavailable, kProcessLost);
    }
    return agreed;
}

Result<std::vector<std::vector<BatchShape>>>
DeviceProcesses::shareShapes(const std::vector<std::vector<BatchShape>>& steps)
{
    std::vector<double> known;
    const BatchShape* like = nullptr;
    for (const std::vector<BatchShape>& members : steps) {
        known.push_back(members.empty() ? 0 : 1);
        like = members.empty() ? like : &members.front();
    }
    CANNERY_TRY(gather(known));
    std::vector<bool> areKnown(steps.size(), true);
    for (std::size_t at = 0; at < m_gathered.size(); ++at) {
        areKnown[at % steps.size()] = areKnown[at % steps.size()] && m_gathered[at] != 0;
    }
    std::vector<double> numbers;
    for (std::size_t step = 0; step < steps.size(); ++step) {
        for (std::size_t member = 0; areKnown[step] && member < steps[step].size(); ++member) {
            const std::vector<double> more = numbersOf(steps[step][member]);
            numbers.insert(numbers.end(), more.begin(), more.end());
        }
    }
    std::vector<std::vector<BatchShape>> all(steps.size());
    if (numbers.empty()) {
        return all;
    }
    CANNERY_TRY(gather(numbers));
    const std::size_t width = numbersOf(*like).size();
    for (std::size_t process = 0; process < m_processes; ++process) {
        std::span<const double> rest = gatheredFrom(process);
        for (std::size_t step = 0; step < steps.size(); ++step) {
            for (std::size_t member = 0; areKnown[step] && member < steps[step].size(); ++member) {
                all[step].push_back(shapeIn(rest.first(width), *like));
                rest = rest.subspan(width);
            }
        }
    }
    return all;
}

Result<std::vector<double>> DeviceProcesses::sumOfMembers(std::span<const double> own)
{
    const std::size_t members = m_own.size();
    std::vector<double> sums(own.size() / members, 0);
    if (sums.empty()) {
        return sums;
    }
    CANNERY_TRY(gather(own));
    for (std::size_t at = 0; at < m_gathered.size(); ++at) {
        sums[at % own.size() / members] += m_gathered[at];
    }
    return sums;
}

void DeviceProcesses::giveUp()
{
    for (kernels::Accelerator* const accelerator : m_own) {
        accelerator->abandonGroup();
    }
}

} // namespace cannery::plan
