// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/constant.h"

#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::schedules {
namespace {

class Constant : public Schedule
{
public:
    explicit Constant(const spec::ConstantSchedule& message)
        : m_learningRate(static_cast<float>(message.learning_rate()))
    {}

    float learningRate(std::int64_t) const override { return m_learningRate; }

private:
    float m_learningRate;
};

} // namespace

Result<std::unique_ptr<Schedule>> makeConstant(const spec::Schedule& message, std::uint64_t)
{
    return std::make_unique<Constant>(message.constant());
}

storage::NodeRef emitConstant(const spec::Schedule& message, const storage::FloatNodes& nodes,
                              const storage::NodeRef& /*step*/)
{
    return nodes.number(static_cast<float>(message.constant().learning_rate()));
}

} // namespace cannery::schedules
