# SPDX-License-Identifier: Apache-2.0
# cannery_moc(<target>)
# Qt's moc runs for the target's headers and sources without folders of headers. It would read every
# header that a file includes, the standard library's too (1.2 s for a test of core/train, against
# 0.02), but needs none: Q_OBJECT and its like are words that it knows, and no class here implements a
# plug-in interface or hides a slot in a macro of another file.
set(CANNERY_MOC ${PROJECT_BINARY_DIR}/moc_alone)

function(cannery_moc target)
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOMOC_EXECUTABLE ${CANNERY_MOC})
endfunction()

file(GENERATE OUTPUT ${CANNERY_MOC} CONTENT
"#!/bin/sh
for argument do
  shift
  case \"$argument\" in
    -I*) ;;
    *) set -- \"$@\" \"$argument\" ;;
  esac
done
exec $<TARGET_FILE:Qt6::moc> \"$@\"
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
