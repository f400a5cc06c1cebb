// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordinator/membership.h"

#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cannery::tests {

using namespace cannery::coordinator;
using namespace std::chrono_literals;

/// Records what a member is told, a word for each piece of news.
class RecordedLine : public Line
{
public:
    void send(News news) override
    {
        m_news.append(wordOf(news));
        if (const auto* formed = std::get_if<Formed>(&news)) {
            generation = formed->generation;
        }
        if (const auto* value = std::get_if<Value>(&news)) {
            this->value = value->bytes;
        }
        if (const auto* ended = std::get_if<Ended>(&news)) {
            end = ended->end;
        }
    }
    void close() override { m_news.append("closed"); }

    /// What was told since the last call.
    QString takeNews() { return std::exchange(m_news, {}).join(' '); }

    Generation generation;
    std::optional<std::string> value;
    JobEnd end;

private:
    static QString wordOf(const News& news)
    {
        if (std::holds_alternative<Welcome>(news)) {
            return "welcome";
        }
        if (const auto* refused = std::get_if<Refused>(&news)) {
            return QString::fromStdString(refused->error.id).section('.', 1);
        }
        if (const auto* formed = std::get_if<Formed>(&news)) {
            return QString("formed%1").arg(formed->generation.number);
        }
        if (const auto* broken = std::get_if<Broken>(&news)) {
            return QString("broken%1").arg(broken->generation);
        }
        if (const auto* ended = std::get_if<Ended>(&news)) {
            return ended->end.outcome == Outcome::Done     ? "done"
                   : ended->end.outcome == Outcome::Failed ? "failed"
                                                           : "stopping";
        }
        if (const auto* value = std::get_if<Value>(&news)) {
            return QString("value%1").arg(value->request);
        }
        return "pulse";
    }

    QStringList m_news;
};

inline constexpr std::int64_t kClock = 1'700'000'000'000;

/// A membership of a chief and two workers, with a clock of its own.
class MembershipFixture
{
protected:
    void makeMembership()
    {
        m_chief = {.task = "chief:0",
                   .incarnation = 99,
                   .version = "1",
                   .digest = "d",
                   .unixTimeMs = kClock,
                   .token = "t"};
        m_membership = std::make_unique<Membership>(Membership::Options{
            .tasks = m_tasks, .chief = m_chief, .deadAfter = 5s, .longestWait = 60s});
        m_lines = std::deque<RecordedLine>(kSize);
        m_now = Membership::Time() + 100s;
        m_membership->sweep(m_now);
    }

    static constexpr int kSize = 3;

    MemberIdentity identityOf(int rank, std::uint64_t incarnation) const
    {
        MemberIdentity identity = m_chief;
        identity.rank = rank;
        identity.task = m_tasks[static_cast<std::size_t>(rank)];
        identity.incarnation = rank == 0 ? m_chief.incarnation : incarnation;
        identity.host = "h" + std::to_string(rank);
        return identity;
    }
    void enter(RecordedLine& line, int rank, std::uint64_t incarnation = 1,
               bool isReturning = false)
    {
        m_membership->enter(line, {identityOf(rank, incarnation), isReturning, m_now, kClock});
    }
    void enterAll()
    {
        for (int rank = 0; rank < kSize; ++rank) {
            enter(m_lines[static_cast<std::size_t>(rank)], rank);
        }
    }
    void joinAll(std::int64_t last)
    {
        for (RecordedLine& line : m_lines) {
            m_membership->join(line, last, m_now);
        }
    }
    /// By rank.
    void beatAll(const std::vector<Stuck>& stuck)
    {
        for (std::size_t rank = 0; rank < stuck.size(); ++rank) {
            m_membership->beat(m_lines[rank], m_now, stuck[rank]);
        }
    }
    /// Everybody in generation 1; nothing unread.
    void form()
    {
        enterAll();
        joinAll(0);
        takeAll();
        m_membership->takeNotes();
    }
    QStringList takeAll()
    {
        QStringList news;
        for (RecordedLine& line : m_lines) {
            news.append(line.takeNews());
        }
        return news;
    }
    QStringList takeNotes()
    {
        QStringList notes;
        for (const Note& note : m_membership->takeNotes()) {
            notes.append(QString::fromStdString(note.sentence));
        }
        return notes;
    }
    void pass(std::chrono::milliseconds time)
    {
        // In small steps: a long one means that the coordinator was stopped.
        for (; time > 0ms; time -= 1s) {
            m_now += std::min<std::chrono::milliseconds>(time, 1s);
            m_membership->sweep(m_now);
        }
    }

    const std::vector<std::string> m_tasks{"chief:0", "worker:0", "worker:1"};
    MemberIdentity m_chief;
    std::deque<RecordedLine> m_lines;
    std::unique_ptr<Membership> m_membership;
    Membership::Time m_now;
};

} // namespace cannery::tests
