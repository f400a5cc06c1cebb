// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace cannery::ui {

class ExperimentDocument;
class Page;
class Toaster;
struct EditStep;

/// Tells of steps of the experiment, with Undo, where the user could miss what was lost or changed:
/// of a step that removes something (an element of a list, a message, or a value on the way to
/// something else), that leaves something out (EditStep::remark), or of which nothing is on the
/// page shown. Everything else can be seen where it was done, and is undone with Ctrl+Z. Pages show
/// no toasts for edits of their own.
class EditToasts : public QObject
{
    Q_OBJECT

public:
    /// `shown`: the page that the user sees; may be null. All of them outlive this.
    EditToasts(ExperimentDocument& document, Toaster& toaster, std::function<const Page*()> shown,
               QObject* parent);

    /// The rule.
    static bool isShown(const EditStep& step, const Page* shown);

private:
    void show(const EditStep& step);

    ExperimentDocument* m_document;
    Toaster* m_toaster;
    std::function<const Page*()> m_shown;
    QString m_words;      ///< of the newest toast
    int m_shownIndex = 0; ///< index of the undo stack after the step that it is about
};

} // namespace cannery::ui
