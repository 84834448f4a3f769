#!/bin/sh
# Plays the centre of a 3x3 board if it is free, then a corner, or else the first legal cell.
while read -r line; do
    case $line in
        *'"variant":'*) echo '{"variants":"*"}'; continue ;;
        *'"type":"turn"'*) ;;
        *) continue ;;
    esac
    legal=${line#*'"legal":['}
    legal=${legal%%]*}
    for cell in 4 0 8 2 6 "${legal%%,*}"; do
        case ,$legal, in *",$cell,"*) break ;; esac
    done
    echo "{\"cell\":$cell}"
done
