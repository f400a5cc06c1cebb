// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>

namespace cannery::ui {

class Button;
class CrossChips;
class Label;

/// What a cross combines, how many combinations there are, and how many of them are to be expected
/// to share a bucket. It shows what it is told and tells what was asked for. GUI thread.
class CrossEditor : public QWidget
{
    Q_OBJECT

public:
    explicit CrossEditor(QWidget* parent = nullptr);

    void setInputs(const QStringList& inputs);
    void setOffered(const QStringList& offered);
    /// `combinations`: the product of the numbers of values; 0: not known.
    void setSize(double combinations, double buckets);

Q_SIGNALS:
    void addRequested(const QString& input);
    void removeRequested(int index);
    void bucketsRequested(int buckets);

private:
    CrossChips* m_chips;
    Label* m_sharing;
    Button* m_more;
    int m_suggested = 0;
};

} // namespace cannery::ui
